//! Whom TLS trusts: the Web's usual roots, those of the system, and those the user adds.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::{FetchError, FetchSettings};

/// The certificates in a file of PEM.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(found) if found.is_empty() => Err(format!("{} holds no certificate in PEM", path.display())),
        Ok(found) => Ok(found),
        Err(error) => Err(format!("cannot read certificates from {}: {error}", path.display())),
    }
}

/// How TLS connections are made.
pub(super) fn tls_config(settings: &FetchSettings) -> Result<ClientConfig, FetchError> {
    let bad = |problem: String| FetchError::BadSetting { setting: "fetch.ca_file", problem };
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    if settings.system_roots {
        // What the system keeps and nobody can read is the system's matter: the Web's usual roots are there.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    for root in &settings.tls_roots {
        roots.add(root.clone()).map_err(|error| bad(format!("one of its certificates cannot be used: {error}")))?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| bad(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        assert!(certificates(&path).unwrap_err().starts_with("cannot read certificates from"));
        std::fs::write(&path, "nothing").unwrap();
        assert!(certificates(&path).unwrap_err().ends_with("holds no certificate in PEM"));
    }
}
