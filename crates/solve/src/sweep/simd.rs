//! A loop compiled more than once: for every machine, for those with AVX2 and, on request, for those with AVX-512; and a
//! word to the caches.

#![allow(unsafe_code)] // The machine is asked for its instructions before they are used, and a prefetch reads nothing.

/// A loop to be run by [`run_widest`] or [`run_in_rows`].
pub trait WideLoop {
    /// Its result.
    type Output;
    /// Runs it. This has to be `#[inline(always)]`, like what it calls in its loop: what is not inlined is compiled for
    /// every machine.
    fn run(self) -> Self::Output;
}

/// Runs a loop with AVX2 where the machine has it. The bits are the same either way: no product is fused with a sum.
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

/// The same with AVX-512 where the machine has it: for loops over rows of numbers that stand in their order. Where places
/// are looked up the compiler would take gather instructions, which are slow (benches/README.md, "Sweep").
pub fn run_in_rows<T: WideLoop>(body: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512dq") {
        // SAFETY: the machine has both.
        return unsafe { with_avx512(body) };
    }
    run_widest(body)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
unsafe fn with_avx512<T: WideLoop>(body: T) -> T::Output {
    body.run()
}

/// Has a place brought into the nearest cache, since it is needed soon. Nothing else changes.
#[inline(always)]
pub fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
