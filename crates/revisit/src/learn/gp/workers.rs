//! Who works: this crate starts no threads, the caller may lend some.

/// A part of some work, to be run once. The parts of one work may run at the same time.
pub type Part<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Those who do work that comes in parts, one or many at a time. What they find does not depend on how many they are.
///
/// ```
/// use revisit::learn::gp::{Part, Workers};
///
/// struct Threads(usize);
///
/// impl Workers for Threads {
///     fn count(&self) -> usize {
///         self.0
///     }
///
///     fn run(&self, parts: Vec<Part<'_>>) {
///         std::thread::scope(|scope| parts.into_iter().for_each(|part| drop(scope.spawn(part))));
///     }
/// }
///
/// let mut sums = [0, 0];
/// let parts = sums.iter_mut().zip([1..=10, 11..=20]).map(|(sum, range)| Box::new(|| *sum = range.sum()) as Part<'_>);
/// Threads(2).run(parts.collect());
/// assert_eq!(sums, [55, 155]);
/// ```
pub trait Workers {
    /// Into how many parts work is to be cut; beyond 1,024 it is not.
    fn count(&self) -> usize;

    /// Returns when all parts are done. A part that was dropped instead is made up for; the panic of one must be passed on.
    fn run(&self, parts: Vec<Part<'_>>);
}

/// The caller's own thread and no other.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Workers for Alone {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        parts.into_iter().for_each(|part| part());
    }
}
