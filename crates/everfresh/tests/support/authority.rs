//! A certificate authority of the test's own, as an inner network has one.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// The authority, and a certificate that it gave to a server.
pub(crate) struct Authority {
    /// Whom to trust.
    pub(crate) certificate: PathBuf,
    /// What the server shows.
    pub(crate) server: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    /// A new authority that vouches for a server with these names; everything is in files of this folder.
    pub(crate) fn vouching_for(names: &[String], folder: &Path) -> Authority {
        let mut own = CertificateParams::default();
        own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        own.distinguished_name.push(DnType::CommonName, "Authority of a test");
        let own_key = KeyPair::generate().unwrap();
        let own_certificate = own.self_signed(&own_key).unwrap();
        let key = KeyPair::generate().unwrap();
        let server = CertificateParams::new(names).unwrap().signed_by(&key, &Issuer::new(own, own_key)).unwrap();
        let write = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        Authority {
            certificate: write("authority.pem", own_certificate.pem()),
            server: write("server.pem", server.pem()),
            key: write("server.key", key.serialize_pem()),
        }
    }
}
