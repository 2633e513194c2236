//! A loop compiled twice: for every machine, and for those with AVX2.

#![allow(unsafe_code)] // AVX2 is asked for before it is used.

/// A loop to be run by [`run_widest`].
pub trait WideLoop {
    /// Its result.
    type Output;
    /// Runs it. This has to be `#[inline(always)]`, like what it calls in its loop: what is not inlined is compiled for
    /// every machine.
    fn run(self) -> Self::Output;
}

/// Runs a loop by the widest instructions of the machine that give the same bits as any other: no product is fused with a
/// sum.
pub fn run_widest<T: WideLoop>(body: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { with_avx2(body) };
    }
    body.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<T: WideLoop>(body: T) -> T::Output {
    body.run()
}
