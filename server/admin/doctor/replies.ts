import { fold } from "#contract/fold.ts";
import type { Json } from "#contract/json.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { runTopic } from "#server/runs/log/topics.ts";
import type { Check } from "./reading.ts";

/** The newest answers whose log is still kept: no more are read. */
const readMax = 1_000;
const shownMax = 20;

/**
 * Replies that are not what their log adds up to. Logs are kept for an hour or so, and what somebody has changed since
 * is theirs: only a reply that stands as its run's end stored it is compared.
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
      const [message] = await rows(`select content from messages where id = ${text(id)}`);
      const said = events[0]?.type === "run-start" ? fold(events).parts : undefined;
      const { content } = JSON.parse(String(message?.content)) as { content?: Json };
      if (said !== undefined && JSON.stringify(said) !== JSON.stringify(content)) ids.push(String(id));
    }
    if (ids.length === 0) return [];
    return [
      {
        about: "replies are stored that are not what their log says",
        count: ids.length,
        ids: ids.toSorted().slice(0, shownMax),
        remedy: "Nothing mends this by itself: keep a backup of now, and restore the last one that was well.",
      },
    ];
  },
};

function text(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`;
}
