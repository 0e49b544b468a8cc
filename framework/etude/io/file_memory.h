#pragma once

namespace etude {

/// Where what is read from a file stands. A mapped file is memory that the system fills page by page as it is needed,
/// so that large files open at once. As long as the tensors live, the file must stay as it is: a program that writes
/// into it changes them, and one that shortens it ends this program with SIGBUS, which no exception can tell of. A
/// file that is replaced by a new one of its name, as Etude's own functions replace it, does no harm. A copied file is
/// read as a whole at first and may then change as it likes.
enum class FileMemory { Mapped, Copied };

}  // namespace etude
