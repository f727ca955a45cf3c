export const faults = `-- Both kinds of fault rules under names of one form, with one word for how often they still happen.
alter table fault_rule rename to api_fault;
alter table api_fault rename column remaining to times_left;

-- What is spent is gone.
delete from delivery_fault where times_left = 0;
`
