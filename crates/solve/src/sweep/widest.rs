//! A loop compiled twice: for every machine, and for those with AVX2.

#![allow(unsafe_code)] // AVX2 is asked for before it is used.

/// Work for [`widest`].
pub trait Task {
    /// What it gives back.
    type Output;
    /// Does it. This has to be `#[inline(always)]`, like what it calls in its loop: what is not inlined is compiled for
    /// every machine.
    fn run(self) -> Self::Output;
}

/// Does a task by the widest instructions that the machine has and that give the same bits as any other: no product is
/// fused with a sum.
pub fn widest<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has AVX2.
        return unsafe { with_avx2(task) };
    }
    task.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn with_avx2<T: Task>(task: T) -> T::Output {
    task.run()
}
