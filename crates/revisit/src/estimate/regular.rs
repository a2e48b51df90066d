//! The change rate of a page visited at regular intervals (Cho & Garcia-Molina 2003; Barbosa et al. 2005, eq. 1).
//!
//! r = −ln((n − X + 0.5) / (n + 0.5)) changes per visit interval, for n visits of which X saw a change. The plain X / n
//! misses changes that fell into one interval; the halves keep the logarithm finite when every visit saw one.

/// Changes per visit interval.
///
/// ```
/// // 4 visits, 2 changes: -ln(2.5 / 4.5) = 0.5878
/// assert!((revisit::estimate::regular::rate(4, 2) - 0.5878).abs() < 1e-4);
/// assert_eq!(revisit::estimate::regular::rate(4, 0), 0.0);
/// ```
pub fn rate(observations: u32, changes: u32) -> f64 {
    if changes == 0 {
        // Most pages of most collections; no need for a logarithm, which would be -0.0.
        return 0.0;
    }
    let (n, x) = (f64::from(observations), f64::from(changes));
    -((n - x + 0.5) / (n + 0.5)).ln()
}
