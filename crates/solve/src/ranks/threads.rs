//! Ranks that are threads of one process, each with a pool of threads of its own.

use super::{Messenger, Parcel, Ranks, Traffic};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Does the same `work` on so many ranks with so many threads each, and returns what each of them found.
///
/// # Panics
/// If one of them does; those who wait for it do so too.
pub fn on_threads<T: Send>(size: usize, threads: usize, work: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
    let mut ends: Vec<Channels> = (0..size).map(|_| Channels::default()).collect();
    for from in 0..size {
        for to in 0..size {
            let (send, receive) = channel();
            ends[from].to.push(send);
            ends[to].from.push(receive);
        }
    }
    let work = &work;
    thread::scope(|scope| {
        let ranks: Vec<_> = ends
            .into_iter()
            .enumerate()
            .map(|(rank, channels)| {
                let channels = Mutex::new(channels);
                let sent = [AtomicU64::new(0), AtomicU64::new(0)];
                let ranks = Ranks::joined_by(Arc::new(OnThreads { rank, size, channels, sent }));
                scope.spawn(move || {
                    let pool =
                        rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads for a rank");
                    pool.install(|| work(ranks))
                })
            })
            .collect();
        let found: Vec<_> = ranks.into_iter().map(thread::ScopedJoinHandle::join).collect();
        found.into_iter().map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// The ends of the channels to and from each rank, itself included.
#[derive(Default)]
struct Channels {
    to: Vec<Sender<Vec<f64>>>,
    from: Vec<Receiver<Vec<f64>>>,
}

struct OnThreads {
    rank: usize,
    size: usize,
    channels: Mutex<Channels>,
    /// Messages and bytes.
    sent: [AtomicU64; 2],
}

impl OnThreads {
    fn send(&self, channels: &Channels, to: usize, numbers: &[f64]) {
        self.sent[0].fetch_add(1, Ordering::Relaxed);
        self.sent[1].fetch_add(size_of_val(numbers) as u64, Ordering::Relaxed);
        let sent = channels.to[to].send(numbers.to_vec()).is_ok();
        assert!(sent, "rank {} has lost rank {to}", self.rank);
    }

    fn receive(&self, channels: &Channels, from: usize, count: usize) -> Vec<f64> {
        let numbers = channels.from[from].recv();
        let numbers = numbers.unwrap_or_else(|_| panic!("rank {} has lost rank {from}", self.rank));
        assert_eq!(numbers.len(), count, "rank {from} sent to rank {} what it did not expect", self.rank);
        numbers
    }
}

impl Messenger for OnThreads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn swap(&self, send: &[Parcel], receive: &mut [Parcel]) {
        let channels = self.channels.lock().expect("one thread at a time");
        for parcel in send {
            self.send(&channels, parcel.rank, &parcel.numbers);
        }
        for parcel in receive {
            parcel.numbers = self.receive(&channels, parcel.rank, parcel.numbers.len());
        }
    }

    fn gather(&self, own: &[f64], counts: &[usize]) -> Vec<f64> {
        assert_eq!((own.len(), counts.len()), (counts[self.rank], self.size));
        let channels = self.channels.lock().expect("one thread at a time");
        for to in (0..self.size).filter(|&to| to != self.rank) {
            self.send(&channels, to, own);
        }
        let of = |from: usize| {
            if from == self.rank { own.to_vec() } else { self.receive(&channels, from, counts[from]) }
        };
        (0..self.size).flat_map(of).collect()
    }

    fn traffic(&self) -> Traffic {
        let [messages, bytes] = [0, 1].map(|which: usize| self.sent[which].load(Ordering::Relaxed));
        Traffic { messages, bytes, seconds: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn numbers_arrive_where_they_are_sent_and_in_the_order_of_ranks() {
        let found = on_threads(3, 1, |ranks| {
            let (rank, next, last) = (ranks.rank(), (ranks.rank() + 1) % 3, (ranks.rank() + 2) % 3);
            let send = Parcel { rank: next, numbers: vec![rank as f64, f64::NAN] };
            let mut receive = [Parcel { rank: last, numbers: vec![0.0; 2] }];
            ranks.swap(&[send], &mut receive);
            assert!(receive[0].numbers[1].is_nan());
            let counts = [0, 1, 2];
            (receive[0].numbers[0], ranks.gather(&vec![rank as f64; rank], &counts), ranks.gather_each(rank as f64))
        });
        for (rank, (from_last, gathered, each)) in found.into_iter().enumerate() {
            assert_eq!(from_last, ((rank + 2) % 3) as f64);
            assert_eq!((gathered, each), (vec![1.0, 2.0, 2.0], vec![0.0, 1.0, 2.0]));
        }
    }

    #[test]
    fn one_rank_has_nobody_to_wait_for() {
        assert_eq!(on_threads(1, 2, |ranks| (ranks.is_alone(), ranks.gather(&[3.0], &[1]))), [(true, vec![3.0])]);
    }

    #[test]
    fn a_rank_that_is_gone_ends_the_others() {
        let lost = || {
            on_threads(3, 1, |ranks| {
                assert_ne!(ranks.rank(), 1, "gone");
                ranks.gather_each(0.0)
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(lost)).is_err());
    }
}
