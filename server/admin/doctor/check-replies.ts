import { fold } from "#contract/fold.ts";
import type { Json } from "#contract/json.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { unpackContent } from "#storage/lib/packed-content.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import type { Check } from "./check.ts";

/** Only the newest replies are checked. */
const readMax = 1_000;
const shownMax = 20;

/**
 * Replies that differ from the fold of their run's log. Only replies that nobody has changed since the run ended, and
 * whose log is still kept, are compared.
 */
export const replies: Check = {
  name: "replies",
  async find({ rows }) {
    const stored = await rows(
      `select messages.id, topics.topic from log_topics as topics
         join runs on runs.id = substr(topics.topic, ${runTopic("").length + 1})
         join messages on messages.id = runs.reply_id and messages.run_id = runs.id
       where topics.topic like '${runTopic("")}%' and topics.pruned_seq = 0 and runs.ended_at is not null and messages.updated_at = runs.ended_at
       order by runs.ended_at desc limit ${readMax}`,
    );
    const ids: string[] = [];
    for (const { id, topic } of stored) {
      const entries = await rows(`select body from log_entries where topic = ${text(topic)} order by seq`);
      const events = entries.map(({ body }) => JSON.parse(String(body)) as RunEvent);
      const [message] = await rows(`select content, plain_text from messages where id = ${text(id)}`);
      const folded = events[0]?.type === "run-start" ? fold(events).parts : undefined;
      const { content } = JSON.parse(
        unpackContent(String(message?.content), String(message?.plain_text)),
      ) as { content?: Json };
      if (folded !== undefined && JSON.stringify(folded) !== JSON.stringify(content)) ids.push(String(id));
    }
    if (ids.length === 0) return [];
    return [
      {
        about: "stored replies differ from their run logs",
        count: ids.length,
        ids: ids.toSorted().slice(0, shownMax),
        remedy: "There is no automatic repair: back up the current state, and restore the last good backup.",
      },
    ];
  },
};

function text(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`;
}
