/**
 * The SQL of what `text_bytes` of a thread must be, in a statement about `threads`. Triggers and the code that writes the
 * metadata keep it.
 */
export const textBytes = `coalesce(octet_length(threads.metadata), 0)
  + coalesce((select sum(octet_length(content) + octet_length(plain_text)) from messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(content)) from queued_messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(details) + octet_length(attributes)) from run_reports where thread_id = threads.id), 0)`;
