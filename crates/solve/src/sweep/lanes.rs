//! Eight numbers side by side.
//!
//! The kernels are written once over [`Real`]: with `f64` they update one contact, with [`Lanes`] eight independent
//! ones. The operations are plain loops over arrays that the compiler turns into vector instructions for the
//! instruction set chosen at run time (`kernel.rs`). No fused multiply-add is ever used, so every instruction set
//! gives the same bits. (Closures of `array::map` and `array::from_fn` are not reliably inlined into a function with
//! its own instruction set, which costs a factor of two and a half; hence the plain loops.)

use std::ops::{Add, Mul, Sub};

/// How many contacts a batch holds.
pub const WIDTH: usize = 8;

/// A number, or eight of them side by side.
pub trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// How many numbers there are.
    const COUNT: usize;
    /// One of the numbers.
    fn lane(self, index: usize) -> f64;
    /// Sets one of the numbers.
    fn set_lane(&mut self, index: usize, value: f64);
    /// A whole row, or the number of it in `lane`.
    fn load(row: &Lanes, lane: usize) -> Self;
    /// The inverse of [`Real::load`].
    fn store(self, row: &mut Lanes, lane: usize);
    /// The same value everywhere.
    fn splat(value: f64) -> Self;
    /// The larger of the two.
    fn max(self, other: Self) -> Self;
    /// The smaller of the two.
    fn min(self, other: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Quotient.
    fn divide(self, other: Self) -> Self;
    /// The negative, as a difference: the sign of a zero is then the same for one contact and for eight.
    #[inline(always)]
    fn negative(self) -> Self {
        Self::splat(0.0) - self
    }
    /// `then` where `self ≤ bound`, else `otherwise`.
    fn select_below(self, bound: Self, then: Self, otherwise: Self) -> Self;
    /// Sum over the lanes, in a fixed order.
    fn sum(self) -> f64;
    /// The largest of the lanes.
    fn largest(self) -> f64;
}

impl Real for f64 {
    const COUNT: usize = 1;
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = value;
    }
    #[inline(always)]
    fn load(row: &Lanes, lane: usize) -> Self {
        row.0[lane]
    }
    #[inline(always)]
    fn store(self, row: &mut Lanes, lane: usize) {
        row.0[lane] = self;
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn divide(self, other: Self) -> Self {
        self / other
    }
    #[inline(always)]
    fn select_below(self, bound: Self, then: Self, otherwise: Self) -> Self {
        if self <= bound { then } else { otherwise }
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        self
    }
}

/// Eight numbers side by side, one cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; WIDTH]);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut result = [0.0; WIDTH];
                for i in 0..WIDTH {
                    result[i] = self.0[i] $op other.0[i];
                }
                Lanes(result)
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);

impl Lanes {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut result = [0.0; WIDTH];
        for i in 0..WIDTH {
            result[i] = f(self.0[i], other.0[i]);
        }
        Lanes(result)
    }
}

impl Real for Lanes {
    const COUNT: usize = WIDTH;
    #[inline(always)]
    fn lane(self, index: usize) -> f64 {
        self.0[index]
    }
    #[inline(always)]
    fn set_lane(&mut self, index: usize, value: f64) {
        self.0[index] = value;
    }
    #[inline(always)]
    fn load(row: &Lanes, _: usize) -> Self {
        *row
    }
    #[inline(always)]
    fn store(self, row: &mut Lanes, _: usize) {
        *row = self;
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Lanes([value; WIDTH])
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let mut result = [0.0; WIDTH];
        for i in 0..WIDTH {
            result[i] = self.0[i].sqrt();
        }
        Lanes(result)
    }
    #[inline(always)]
    fn divide(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn select_below(self, bound: Self, then: Self, otherwise: Self) -> Self {
        let mut result = [0.0; WIDTH];
        for i in 0..WIDTH {
            result[i] = if self.0[i] <= bound.0[i] { then.0[i] } else { otherwise.0[i] };
        }
        Lanes(result)
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        let x = self.0;
        ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]))
    }
    #[inline(always)]
    fn largest(self) -> f64 {
        self.0.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A short vector of [`Real`] components, for the kernels.
#[derive(Clone, Copy, Debug)]
pub struct Pack<T, const N: usize>(pub [T; N]);

impl<T: Real, const N: usize> Pack<T, N> {
    /// All components zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Pack([T::splat(0.0); N])
    }
    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, other: Self) -> T {
        let mut sum = self.0[0] * other.0[0];
        for i in 1..N {
            sum = sum + self.0[i] * other.0[i];
        }
        sum
    }
    /// Components `START..START + M` of this vector.
    #[inline(always)]
    pub fn part<const START: usize, const M: usize>(self) -> Pack<T, M> {
        let mut result = Pack::zero();
        for i in 0..M {
            result.0[i] = self.0[START + i];
        }
        result
    }
    /// Each component times `factor`.
    #[inline(always)]
    pub fn times(self, factor: T) -> Self {
        let mut result = self;
        for i in 0..N {
            result.0[i] = self.0[i] * factor;
        }
        result
    }
}

impl<T: Real, const N: usize> Add for Pack<T, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let mut result = self;
        for i in 0..N {
            result.0[i] = self.0[i] + other.0[i];
        }
        result
    }
}

impl<T: Real, const N: usize> Sub for Pack<T, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let mut result = self;
        for i in 0..N {
            result.0[i] = self.0[i] - other.0[i];
        }
        result
    }
}

/// `ω × l`, for one spin in 2D and three in 3D.
#[inline(always)]
pub fn cross<T: Real, const N: usize, const S: usize>(spin: Pack<T, S>, arm: Pack<T, N>) -> Pack<T, N> {
    let (s, a) = (spin.0, arm.0);
    let mut result = arm;
    if S == 1 {
        result.0[0] = (s[0] * a[1]).negative();
        result.0[1] = s[0] * a[0];
    } else {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            result.0[i] = s[j] * a[k] - s[k] * a[j];
        }
    }
    result
}

/// `a × b`, one spin in 2D and three in 3D.
#[inline(always)]
pub fn wedge<T: Real, const N: usize, const S: usize>(a: Pack<T, N>, b: Pack<T, N>) -> Pack<T, S> {
    let (a, b) = (a.0, b.0);
    let mut result = Pack::zero();
    if S == 1 {
        result.0[0] = a[0] * b[1] - a[1] * b[0];
    } else {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            result.0[i] = a[j] * b[k] - a[k] * b[j];
        }
    }
    result
}
