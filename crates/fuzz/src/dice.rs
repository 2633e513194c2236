//! Random choices that are the same on every machine.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng;

/// The choices that make one input.
pub struct Dice(Pcg64);

impl Dice {
    /// The choices for the input of this number of a target.
    pub fn new(seed: u64, target: &str, number: u64) -> Self {
        let name = riprap_store::hash_of_bytes(target.as_bytes());
        Dice(Pcg64::new(u128::from(seed) << 64 | u128::from(number), u128::from(name)))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 up to but not including `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// True in this share of cases.
    pub fn chance(&mut self, share: f64) -> bool {
        self.between(0.0, 1.0) < share
    }

    /// A number between two others.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }
}
