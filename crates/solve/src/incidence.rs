//! Which contacts touch what: bodies, or the freedoms of bodies.

/// The contacts of each thing that contacts touch: those of number `i` are `list[starts[i]..starts[i + 1]]`, in order.
pub(crate) struct Incidence {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Incidence {
    /// Of `contacts` contacts and `things` things, where `touched` tells what a contact touches.
    pub fn new<I: IntoIterator<Item = u32>>(contacts: usize, things: usize, touched: impl Fn(usize) -> I) -> Self {
        let mut starts = vec![0u32; things + 1];
        for thing in (0..contacts).flat_map(&touched) {
            starts[thing as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut list = vec![0u32; starts[things] as usize];
        let mut next = starts.clone();
        for contact in 0..contacts {
            for thing in touched(contact) {
                list[next[thing as usize] as usize] = contact as u32;
                next[thing as usize] += 1;
            }
        }
        Incidence { starts, list }
    }

    pub fn of(&self, thing: u32) -> &[u32] {
        &self.list[self.starts[thing as usize] as usize..self.starts[thing as usize + 1] as usize]
    }
}
