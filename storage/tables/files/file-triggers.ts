import type { Engine } from "../../lib/engine.ts";

// Deleting a message removes its claims. Sending a queued message deletes the queued row and inserts a message with the
// same id and the same claims, which must stay.
const isLastHolder = "not exists (select 1 from messages where id = old.id)";

/** Delete the claims of messages that are deleted. */
export const claimTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger file_claims_of_messages_gone after delete on messages begin
     delete from file_claims where message_id = old.id;
   end`,
    `create trigger file_claims_of_queued_gone after delete on queued_messages begin
     delete from file_claims where message_id = old.id and ${isLastHolder};
   end`,
  ],
  postgres: [
    `create function file_claims_gone() returns trigger language plpgsql as $$ begin
     delete from file_claims where message_id = old.id and ${isLastHolder};
     return null;
   end $$`,
    ...["messages", "queued_messages"].map(
      (table) =>
        `create trigger file_claims_of_${table}_gone after delete on ${table} for each row execute function file_claims_gone()`,
    ),
  ],
};

const hasText = `exists (select 1 from files join file_texts on file_texts.blob_key = files.blob_key where files.id = new.file_id)`;
const isClaimed = `exists (select 1 from file_claims where file_id = new.id)`;
const addClaimed = `insert into unread_files (file_id, due_at, tries) values (new.file_id, 0, 0) on conflict do nothing`;
const addArrived = `insert into unread_files (file_id, due_at, tries) values (new.id, 0, 0)
  on conflict (file_id) do update set due_at = 0, tries = 0`;

/**
 * Put a file whose text is not read yet on the list of unread files: when a message begins to mention it, and when the bytes
 * of a mentioned file arrive. The second resets the time and the tries, because earlier tries found no bytes.
 */
export const unreadTriggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger unread_file_claimed after insert on file_claims when not ${hasText} begin
     ${addClaimed};
   end`,
    `create trigger unread_file_arrived after update of blob_key on files
   when old.blob_key is null and new.blob_key is not null and ${isClaimed} begin
     ${addArrived};
   end`,
  ],
  postgres: [
    `create function unread_file_claimed() returns trigger language plpgsql as $$
   begin
     if not ${hasText} then ${addClaimed}; end if;
     return null;
   end $$`,
    `create trigger unread_file_claimed after insert on file_claims for each row execute function unread_file_claimed()`,
    `create function unread_file_arrived() returns trigger language plpgsql as $$
   begin
     if ${isClaimed} then ${addArrived}; end if;
     return null;
   end $$`,
    `create trigger unread_file_arrived after update of blob_key on files for each row
   when (old.blob_key is null and new.blob_key is not null) execute function unread_file_arrived()`,
  ],
};
