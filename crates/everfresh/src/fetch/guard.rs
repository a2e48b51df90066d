//! Which addresses a crawler of the public Web may contact.
//!
//! A page can name any host, and a name can resolve to anything: without this check a link is a way into the network the
//! crawler runs in. The rule is applied to every address right before a connection to exactly that address is made, so a
//! name that changes its answer between check and use gains nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not the public Internet (RFC 6890 and its updates): address and prefix length.
const RESERVED_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared by carrier-grade NAT
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link-local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays, deprecated
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast
];

/// Whether `address` is a public one.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let within = |(network, length): &(Ipv4Addr, u32)| (address.to_bits() ^ network.to_bits()) >> (32 - length) == 0;
    !RESERVED_V4.iter().any(within)
}

/// Global unicast is 2000::/3 and nothing else; that alone refuses loopback, unspecified, unique local, link-local,
/// site-local, multicast, IPv4-mapped and IPv4-compatible addresses. Within it, and for NAT64, an embedded IPv4 address
/// must be public too.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let octets = address.octets();
    let embedded = |at: usize| Ipv4Addr::new(octets[at], octets[at + 1], octets[at + 2], octets[at + 3]);
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(embedded(12)),
        [0x2001, 0, ..] => is_public_v4(embedded(4)) && is_public_v4(Ipv4Addr::from_bits(!embedded(12).to_bits())),
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x2002, ..] => is_public_v4(embedded(2)),
        [0x3fff, second, ..] if second < 0x1000 => false,
        [first, ..] => first >> 13 == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(address: &str) -> bool {
        is_public(address.parse().unwrap())
    }

    #[test]
    fn refuses_every_reserved_ipv4_network_to_its_edges() {
        for refused in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.1",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(refused), "{refused}");
        }
        for allowed in
            ["1.1.1.1", "9.255.255.255", "100.63.255.255", "100.128.0.0", "172.32.0.0", "198.20.0.0", "223.255.255.255"]
        {
            assert!(public(allowed), "{allowed}");
        }
    }

    #[test]
    fn refuses_ipv6_that_is_not_global() {
        for refused in [
            "::",
            "::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "2001:db8::1",
            "2001:2::1",
            "2001:10::1",
            "3fff::1",
            "::ffff:1.1.1.1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "::1.1.1.1",
            "64:ff9b:1::1",
        ] {
            assert!(!public(refused), "{refused}");
        }
        for allowed in ["2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"] {
            assert!(public(allowed), "{allowed}");
        }
    }

    #[test]
    fn looks_into_addresses_that_embed_ipv4() {
        assert!(!public("2002:7f00:1::"), "6to4 of 127.0.0.1");
        assert!(!public("2002:c0a8:101::1"), "6to4 of 192.168.1.1");
        assert!(public("2002:101:101::1"), "6to4 of 1.1.1.1");
        assert!(!public("64:ff9b::a00:1"), "NAT64 of 10.0.0.1");
        assert!(public("64:ff9b::808:808"), "NAT64 of 8.8.8.8");
        assert!(!public("2001:0:101:101:0:0:80ff:fffe"), "Teredo client 127.0.0.1");
        assert!(!public("2001:0:a00:1:0:0:f7f7:f7f7"), "Teredo server 10.0.0.1");
        assert!(public("2001:0:101:101:0:0:f7f7:f7f7"), "Teredo of public addresses");
    }
}
