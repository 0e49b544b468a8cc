#!/usr/bin/env python3
"""Runs a program with MPI on hosts that are network namespaces, behind a network of a chosen delay, loss and rate.

    tests/distributed/network.py --hosts 2 --delay 1 --loss 0.01 --rate 100 -- build/release/examples/char_gpt --steps 20

Every host has a TUN device. This program reads the packets that a host sends, loses them with the given probability, holds
them for the delay and for the time that the rate needs, and writes them to the device of the receiving host. Needs Linux,
root and Open MPI; ends with the program's status, or with 77 where namespaces or TUN devices are not allowed.
"""
import argparse
import fcntl
import heapq
import os
import random
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
NETWORK = "10.77.0"
LAUNCHERS = {"mpirun", "orted", "ip", "sh", "ssh", "python3"}  # the processes of a host besides the program


def run(command):
    return subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout


def folder_of(namespace):
    """A folder for the temporary files of the host's daemon, apart from those of others."""
    return os.path.join(tempfile.gettempdir(), namespace)


class Host:
    """A namespace whose only way out is the file `tun`."""

    def __init__(self, number, mtu):
        self.namespace = f"etude-{os.getpid()}-{number}"
        self.address = f"{NETWORK}.{number + 1}"
        device = f"et{os.getpid()}-{number}"
        self.tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self.tun, 0x400454CA, struct.pack("16sH", device.encode(), 0x0001 | 0x1000))  # TUNSETIFF: TUN, NO_PI
        run(f"ip netns add {self.namespace}")
        run(f"ip link set {device} netns {self.namespace}")
        run(f"ip -n {self.namespace} link set lo up")
        run(f"ip -n {self.namespace} addr add {self.address}/24 dev {device}")
        run(f"ip -n {self.namespace} link set {device} mtu {mtu} up")

    def processes(self):
        return [int(pid) for pid in run(f"ip netns pids {self.namespace}").split()]

    def runs_program(self):
        names = []
        for pid in self.processes():
            try:
                with open(f"/proc/{pid}/comm") as name:
                    names.append(name.read().strip())
            except OSError:  # it has just ended
                pass
        return not LAUNCHERS.issuperset(names)

    def close(self):
        os.close(self.tun)
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        run(f"ip netns del {self.namespace}")
        shutil.rmtree(folder_of(self.namespace), ignore_errors=True)


class Network:
    """The packets that are under way: a heap of (time of arrival, number, host, packet)."""

    def __init__(self, hosts, delay, loss, rate, down_after):
        self.hosts, self.delay, self.loss, self.rate, self.down_after = hosts, delay, loss, rate, down_after
        self.random = random.Random(1)
        self.under_way, self.free_at, self.count, self.lost = [], [0.0] * len(hosts), 0, 0
        self.selector = selectors.SelectSelector()  # which waits for less than a millisecond, too
        for number, host in enumerate(hosts):
            self.selector.register(host.tun, selectors.EVENT_READ, number)

    def is_down(self):
        return self.count >= self.down_after

    def take(self, sender, packet):
        receiver = packet[19] - 1  # the last byte of the IPv4 address that it is for
        if packet[0] >> 4 != 4 or not 0 <= receiver < len(self.hosts):
            return
        if self.is_down() or self.random.random() < self.loss:
            self.lost += 1
            return
        begins = max(time.monotonic(), self.free_at[sender])
        self.free_at[sender] = begins + (len(packet) * 8e-6 / self.rate if self.rate else 0)
        self.count += 1
        heapq.heappush(self.under_way, (self.free_at[sender] + self.delay, self.count, receiver, packet))

    def deliver(self):
        while self.under_way and self.under_way[0][0] <= time.monotonic():
            _, _, receiver, packet = heapq.heappop(self.under_way)
            try:
                os.write(self.hosts[receiver].tun, packet)
            except BlockingIOError:
                self.lost += 1

    def turn(self):
        wait = 0.05
        if self.under_way:
            wait = min(wait, max(0.0, self.under_way[0][0] - time.monotonic()))
        for key, _ in self.selector.select(wait):
            for _ in range(64):
                try:
                    self.take(key.data, os.read(key.fd, 65536))
                except BlockingIOError:
                    break
        self.deliver()


def mpirun(hosts, processes, command):
    """The command that runs a program with Open MPI, which starts its daemons by this file in place of ssh, and sends through the
    hosts' devices alone."""
    agent = f"{sys.executable} {os.path.abspath(__file__)} --enter {os.getpid()}"
    only = f"{NETWORK}.0/24"
    placed = ",".join(f"{h.address}:{processes // len(hosts)}" for h in hosts)
    options = ["--allow-run-as-root", "--quiet", "--bind-to", "none", "-n", str(processes), "--host", placed]
    for name, value in (("plm_rsh_agent", agent), ("btl", "tcp,self,vader"), ("btl_tcp_if_include", only),
                        ("oob_tcp_if_include", only), ("pml", "ob1")):
        options += ["--mca", name, value]
    return ["ip", "netns", "exec", hosts[0].namespace, "mpirun", *options, *command]


def ended(program, network):
    """Waits for mpirun, which would wait for minutes for the daemon of a host that it does not reach any more."""
    look_at, looks_without = 0, 0
    while program.poll() is None:
        network.turn()
        if not network.is_down() or time.monotonic() < look_at:
            continue
        look_at = time.monotonic() + 0.5
        looks_without = 0 if any(host.runs_program() for host in network.hosts) else looks_without + 1
        if looks_without == 6:  # mpirun has had the time to pass on what they have said
            print("network.py: the programs have ended on all hosts", file=sys.stderr)
            program.kill()
            return program.wait() and 1
    return program.returncode


def enter(group, address, command):
    number = int(address.rsplit(".", 1)[1]) - 1
    os.environ["TMPDIR"] = folder_of(f"etude-{group}-{number}")
    os.makedirs(os.environ["TMPDIR"], exist_ok=True)
    os.execvp("ip", ["ip", "netns", "exec", f"etude-{group}-{number}", "sh", "-c", " ".join(command)])


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--enter":
        enter(sys.argv[2], sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--processes", type=int, help="as many as hosts unless given; a multiple of them")
    parser.add_argument("--delay", type=float, default=0, help="one way, in milliseconds")
    parser.add_argument("--loss", type=float, default=0, help="part of the packets, 0.01 for one in a hundred")
    parser.add_argument("--rate", type=float, default=0, help="of what each host sends, in Mbit/s; 0 for no limit")
    parser.add_argument("--down-after", type=float, default=float("inf"), help="packets; all further ones are lost")
    parser.add_argument("--mtu", type=int, default=1500)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    hosts = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        try:
            if "Open MPI" not in run("mpirun --version"):
                raise OSError("mpirun is not Open MPI's")
            for number in range(options.hosts):
                hosts.append(Host(number, options.mtu))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"network.py: skipped, for want of namespaces, TUN devices or Open MPI: {error}", file=sys.stderr)
            return SKIPPED
        network = Network(hosts, options.delay / 1e3, options.loss, options.rate, options.down_after)
        program = subprocess.Popen(mpirun(hosts, options.processes or options.hosts, options.command))
        code = ended(program, network)
        print(f"network.py: {network.count} packets, {network.lost} lost", file=sys.stderr)
        return code
    finally:
        for host in hosts:
            host.close()


sys.exit(main())
