//! The incidence list of contacts: which of them touch each freedom.

/// The contacts of each freedom: those of freedom `i` are `list[starts[i]..starts[i + 1]]`, ascending.
pub struct Incidence {
    starts: Vec<u32>,
    list: Vec<u32>,
}

impl Incidence {
    /// The incidence of `contacts` contacts and `nodes` nodes; `touched` returns the nodes of a contact.
    pub fn new<I: IntoIterator<Item = u32>>(contacts: usize, nodes: usize, touched: impl Fn(usize) -> I) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for node in (0..contacts).flat_map(&touched) {
            starts[node as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut list = vec![0u32; starts[nodes] as usize];
        let mut next = starts.clone();
        for contact in 0..contacts {
            for node in touched(contact) {
                list[next[node as usize] as usize] = contact as u32;
                next[node as usize] += 1;
            }
        }
        Incidence { starts, list }
    }

    pub fn of(&self, node: u32) -> &[u32] {
        &self.list[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}
