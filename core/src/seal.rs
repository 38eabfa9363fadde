//! Sealing: what a client is handed to give back later can neither be read by it nor changed, nor used for anything but
//! what it was sealed for.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

/// Drawn at random for each seal: of 24 bytes, no two will ever be equal.
pub(crate) const NONCE_LENGTH: usize = 24;
const EXPIRY_LENGTH: usize = 8;

/// The key under which a server seals what it hands to clients.
///
/// Every process that serves the same clients needs the same one. Whoever knows it can forge what was sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct SealingKey([u8; 32]);

impl SealingKey {
    /// A key of 32 bytes that nobody can guess, from a source of chance or a secret store.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(..)")
    }
}

/// Why a seal does not open. Clients are not told the difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsealed {
    #[error("not sealed here, or for something else")]
    Forged,
    #[error("expired")]
    Expired,
}

/// Seals a text until `expires`, a time since 1970. It opens only with the same `purpose`: what it is, and for whom.
///
/// The result is URL-safe Base64 without padding.
pub(crate) fn seal(
    key: &SealingKey,
    nonce: [u8; NONCE_LENGTH],
    purpose: &[u8],
    text: &str,
    expires: Duration,
) -> String {
    let plain = [&expires.as_secs().to_be_bytes(), text.as_bytes()].concat();
    let payload = Payload { msg: &plain, aad: purpose };
    // It fails for more than 256 GiB alone; what would come out then opens for nobody.
    let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload).unwrap_or_default();
    URL_SAFE_NO_PAD.encode([&nonce, &*sealed].concat())
}

/// Opens what was sealed for this purpose and has not expired.
pub(crate) fn open(
    key: &SealingKey,
    purpose: &[u8],
    sealed: &str,
    now: Duration,
) -> Result<String, Unsealed> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| Unsealed::Forged)?;
    let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LENGTH>().ok_or(Unsealed::Forged)?;
    let payload = Payload { msg: sealed, aad: purpose };
    let plain = cipher(key).decrypt(&XNonce::from(*nonce), payload).map_err(|_| Unsealed::Forged)?;
    let (expires, text) = plain.split_first_chunk::<EXPIRY_LENGTH>().ok_or(Unsealed::Forged)?;
    if now.as_secs() >= u64::from_be_bytes(*expires) {
        return Err(Unsealed::Expired);
    }
    String::from_utf8(text.to_vec()).map_err(|_| Unsealed::Forged)
}

fn cipher(key: &SealingKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&key.0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: SealingKey = SealingKey::new([1; 32]);
    const HOUR: Duration = Duration::from_secs(3600);

    fn sealed() -> String {
        seal(&KEY, [2; NONCE_LENGTH], b"state of ann", "a secret", HOUR)
    }

    #[test]
    fn what_was_sealed_opens_for_its_purpose_until_it_expires() {
        let sealed = sealed();
        assert!(sealed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{sealed}");
        let just_before = HOUR - Duration::from_millis(1);
        assert_eq!(open(&KEY, b"state of ann", &sealed, just_before).as_deref(), Ok("a secret"));
        assert_eq!(open(&KEY, b"state of ann", &sealed, HOUR), Err(Unsealed::Expired));
        let empty = seal(&KEY, [2; NONCE_LENGTH], b"", "", HOUR);
        assert_eq!(open(&KEY, b"", &empty, Duration::ZERO).as_deref(), Ok(""));
    }

    #[test]
    fn nothing_else_opens() {
        let sealed = sealed();
        let forged = |key: &SealingKey, purpose: &[u8], sealed: &str| {
            assert_eq!(open(key, purpose, sealed, Duration::ZERO), Err(Unsealed::Forged), "{sealed}");
        };
        forged(&SealingKey::new([3; 32]), b"state of ann", &sealed);
        forged(&KEY, b"state of eve", &sealed);
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            forged(&KEY, b"state of ann", &URL_SAFE_NO_PAD.encode(changed));
            forged(&KEY, b"state of ann", &URL_SAFE_NO_PAD.encode(&bytes[..at]));
        }
        for other in
            ["", "=", "not base64!", &format!("{sealed}A"), &format!("{sealed}="), &"A".repeat(100_000)]
        {
            forged(&KEY, b"state of ann", other);
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        assert_eq!(format!("{KEY:?}"), "SealingKey(..)");
    }
}
