#pragma once

namespace etude {

/// Where data read from a file is kept. A mapped file is memory that the system fills page by page on demand,
/// so that large files open at once. The file must not change while its tensors live: a program that writes
/// to it changes them, and one that shortens it ends this program with SIGBUS, which cannot be caught as an
/// exception. Replacing the file by a new one of the same name, as Etude's functions do, is safe. A copied
/// file is read as a whole first and may change afterwards.
enum class FileMemory { Mapped, Copied };

}  // namespace etude
