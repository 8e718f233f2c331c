import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newId } from "#contract/ids.ts";
import { call, userWithKey, startParlance } from "../support/parlance.ts";
import { median, type Bench } from "../support/report.ts";

const appends = 1_000;
const opens = 200;
const threadMessages = 100;

/** The time to store a message and to open a thread over HTTP, compared with the same SQL in this process. */
export const appendAndOpen: Bench = {
  about: "message append and thread open over HTTP, beside bare SQLite doing the same SQL",
  async run() {
    const server = await startParlance({});
    const bare = new DatabaseSync(join(server.dataDir, "bare.db"));
    try {
      const person = userWithKey(server.url, "rows");
      const { thread_id: threadId } = await call<{ thread_id: string }>(person, "POST", "/v1/threads", {
        last_message_at: new Date().toISOString(),
      });
      prepare(bare);
      const ours: number[] = [];
      const theirs: number[] = [];
      let parentId: string | null = null;
      for (let n = 0; n < appends; n++) {
        const content = {
          role: "user",
          content: [
            { type: "text", text: `Message ${n} of a benchmark, of an ordinary length for a message.` },
          ],
        };
        const from = performance.now();
        const answer: { message_id: string } = await call(
          person,
          "POST",
          `/v1/threads/${threadId}/messages`,
          { parent_id: parentId, format: "aui/v0", content },
        );
        ours.push(performance.now() - from);
        if (n < threadMessages - 1) parentId = answer.message_id;
        theirs.push(appendBare(bare, n, JSON.stringify(content)));
      }
      const ourOpens: number[] = [];
      const theirOpens: number[] = [];
      for (let n = 0; n < opens; n++) {
        const from = performance.now();
        await call(person, "GET", `/v1/threads/${threadId}/branch?limit=${threadMessages}`);
        ourOpens.push(performance.now() - from);
        theirOpens.push(openBare(bare));
      }
      return [
        {
          what: "append a message, median",
          unit: "ms",
          ours: median(ours),
          baseline: median(theirs),
          against: "bare SQLite",
        },
        {
          what: `open a branch of ${threadMessages} messages, median`,
          unit: "ms",
          ours: median(ourOpens),
          baseline: median(theirOpens),
          against: "bare SQLite",
        },
      ];
    } finally {
      bare.close();
      await server.stop();
    }
  },
};

function prepare(db: DatabaseSync): void {
  db.exec("pragma journal_mode = wal; pragma synchronous = full");
  db.exec("create table threads (id text primary key, last_message_at integer)");
  db.exec(
    "create table messages (id text primary key, thread_id text, parent_id text, height integer, content text, created_at integer)",
  );
  db.exec("create index listed on messages (thread_id, height desc, created_at desc, id desc)");
  db.exec(
    "create table entries (topic text, seq integer, body text, primary key (topic, seq)) without rowid",
  );
  db.exec("insert into threads values ('t', 0)");
}

/** The statements of an append in one transaction: the parent, the message, the thread's time, the feed. */
function appendBare(db: DatabaseSync, n: number, content: string): number {
  const from = performance.now();
  db.exec("begin immediate");
  db.prepare("select height from messages where id = ?").get(`m${n - 1}`);
  db.prepare("insert into messages values (?, 't', ?, ?, ?, ?)").run(
    `m${n}`,
    n === 0 ? null : `m${Math.min(n, threadMessages) - 1}`,
    Math.min(n, threadMessages - 1),
    content,
    n,
  );
  db.prepare("update threads set last_message_at = ? where id = 't'").run(n);
  db.prepare("insert into entries values ('w', ?, ?)").run(n, newId("message"));
  db.exec("commit");
  return performance.now() - from;
}

function openBare(db: DatabaseSync): number {
  const from = performance.now();
  const found = db
    .prepare(
      "select * from messages where thread_id = 't' order by height desc, created_at desc, id desc limit ?",
    )
    .all(threadMessages);
  for (const row of found) JSON.parse(String(row.content));
  return performance.now() - from;
}
