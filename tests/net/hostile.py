"""Addresses that lead inward by some spelling, for every place that takes one (R12).

`{port}` is where a trap listens on this machine. `names` resolve as the table of `lying_resolver`
says, which is how rebinding, wildcard DNS and inward records look.
"""

from __future__ import annotations

LOOPBACK_SPELLINGS = [
    "127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "127.255.255.254", "0", "0.0.0.0", "0.0.0.1",
    "2130706433", "017700000001", "0177.0.0.1", "0177.0.0.01", "0x7f.0.0.1", "0x7f.1",
    "0x7f000001", "0x7F000001", "0X7f.0.0.1", "0x7f.0x0.0x0.0x1", "127.0x0.0.1", "00127.0.0.1",
    "127.000.000.001", "127.0.0.1.", "127.0.0.1..", "127.0.0.01", "0x00000000007f000001",
    "4294967295", "18446744071562067969", "127.0.0.0x1", "127.0.0.1%00", "127.0.0.1%2f",
    "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1",
    "127｡0｡0｡1", "１２７.0.0.1", "ⅼocalhost", "localhost", "LOCALHOST", "localhost.",
    "localhost.localdomain", "foo.localhost", "ip6-localhost", "loopback", "lоcalhost",
]  # fmt: skip
V6_SPELLINGS = [
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:ffff:7f00:0001]",
    "[::127.0.0.1]", "[::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]",
    "[64:ff9b::169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::7f00:1]",
    "[64:ff9b:1::10.0.0.1]", "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:a9fe:a9fe::]",
    "[2002:c0a8:101::1]", "[2001:0:7f00:1::1]", "[2001::1]", "[fe80::1]", "[fe80::1%25eth0]",
    "[fe80::1%eth0]", "[fe80::a9fe:a9fe]", "[fec0::1]", "[fc00::1]", "[fd00::1]",
    "[fd00:ec2::254]", "[ff02::1]", "[ff01::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]",
    "[2606:4700::5efe:127.0.0.1]", "[2606:4700::200:5efe:10.0.0.1]", "[::ffff:0:127.0.0.1]",
    "[5f00::1]", "[1]", "[127.0.0.1]", "[::1", "::1", "[]", "[v1.x]", "[::1]x",
]  # fmt: skip
PRIVATE = [
    "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
    "100.100.100.200", "169.254.169.254", "169.254.170.2", "169.254.169.253", "192.0.0.192",
    "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "168.63.129.16", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.16689662",
    "3232235777", "10.1", "0x0a000001",
]  # fmt: skip
METADATA = [
    "metadata", "metadata.google.internal", "metadata.google.internal.", "metadata.goog.internal",
    "instance-data", "instance-data.ec2.internal", "kubernetes.default.svc.cluster.local",
    "kubernetes", "host.docker.internal", "gateway.docker.internal", "router.lan", "nas.home",
    "printer.local", "vault.corp", "db.intranet", "rancher-metadata", "x.home.arpa",
    "abc.onion", "1.0.0.127.in-addr.arpa",
]  # fmt: skip
NAMES = {
    "inward.example.com": ["127.0.0.1"],
    "inward.example.com.": ["127.0.0.1"],
    "aaaa-only.example.com": ["::1"],
    "mapped.example.com": ["::ffff:127.0.0.1"],
    "nat64.example.com": ["64:ff9b::7f00:1"],
    "both.example.com": ["93.184.215.14", "127.0.0.1"],
    "both-reversed.example.com": ["127.0.0.1", "93.184.215.14"],
    "private.example.com": ["10.0.0.1"],
    "metadata.example.com": ["169.254.169.254"],
    "127.0.0.1.nip.io": ["127.0.0.1"],
    "nothing.example.com": [],
    "xn--lcalhost-8jf.example.com": ["127.0.0.1"],
    "under_score.example.com": ["127.0.0.1"],
}
SHAPES = [
    "http://user@127.0.0.1:{port}/", "http://user:pass@127.0.0.1:{port}/",
    "http://93.184.215.14@127.0.0.1:{port}/", "http://93.184.215.14:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@example.com/", "http://127.0.0.1:{port}/#",
    "http://example.com#@127.0.0.1:{port}/", "http://127.0.0.1:{port}?@example.com/",
    "http://127.0.0.1:{port}\\@example.com/", "http://example.com\\@127.0.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}\\", "http:/127.0.0.1:{port}/", "http:127.0.0.1:{port}/",
    "//127.0.0.1:{port}/", "127.0.0.1:{port}", "http:///127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\r\nX-Evil: 1/", "http://127.0.0.1:{port}/\r\nHost: x",
    "http://127.0.0.1:{port}/%0d%0aX: 1", "http://127.0.0.1:{port}/\n",
    "\thttp://127.0.0.1:{port}/", " http://127.0.0.1:{port}/", "http://127.0.0.1 :{port}/",
    "http://127.0.0.1:{port} /", "ht\ttp://127.0.0.1:{port}/",
    "http://127.0.0.1\x00.example.com:{port}/", "http://127.0.0.1:+{port}/",
    "http://127.0.0.1:0{port}/", "http://127.0.0.1:999999/", "http://127.0.0.1:-1/",
    "http://127.0.0.1:/", "HTTP://127.0.0.1:{port}/", "hTTp://LocalHost:{port}/",
    "ftp://127.0.0.1:{port}/", "gopher://127.0.0.1:{port}/_x", "file:///etc/passwd",
    "dict://127.0.0.1:{port}/", "unix:///run/x.sock", "data:text/plain,x",
    "jar:http://127.0.0.1:{port}/!/", "ws://127.0.0.1:{port}/", "http+unix://%2Frun%2Fx/",
    "javascript:1", "http://example.com:22/", "http://example.com:25/",
    "http://example.com:6379/", "http://example.com:0/", "http://127.0.0.1:{port}/..%2f..%2f",
    "http://127.0.0.1:{port}/a/../../x", "http://127.0.0.1:{port}//host",
    "http://{{host}}:{port}/", "http://*.example.com:{port}/", "http://-x.example.com:{port}/",
    "http://a..b.com:{port}/", "http://.example.com:{port}/", "http://:{port}/", "http://",
    "https://", "",
]  # fmt: skip


def urls(port: int) -> list[str]:
    """All of them, each leading to the trap on `port` if anything connects at all."""
    hosts = [*LOOPBACK_SPELLINGS, *V6_SPELLINGS, *PRIVATE, *METADATA, *NAMES]
    return [f"http://{host}:{port}/x" for host in hosts] + [
        shape.replace("{port}", str(port)) for shape in SHAPES
    ]


async def lying_resolver(host: str, port: int) -> list[str]:
    """Answers of a hostile name server; every other name leads to the trap."""
    return NAMES.get(host, ["127.0.0.1"])
