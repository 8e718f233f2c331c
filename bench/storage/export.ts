import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { newId } from "#contract/ids.ts";
import { signUp, startParlance, type Parlance, type User } from "../support/parlance.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const counts = [10_000, 40_000] as const;
const rounds = 5;
/** The length of a typical answer. */
const text = "Ferns, hostas and foxgloves grow in the shade, and so does ivy. ".repeat(12);

/** Export and import of a long thread, compared with reading its rows from the database. */
export const exporting: Bench = {
  about: "export of a thread of 10,000 messages as a zip (JSON and Markdown), and its import, over HTTP",
  async run() {
    const server = await startParlance({});
    try {
      const [few, many] = await Promise.all(counts.map(async () => await signUp(server.url)));
      const importMs = await importThread(few!, counts[0]);
      await importThread(many!, counts[1]);
      const ours: number[] = [];
      const bare: number[] = [];
      await exportAll(few!);
      const small = await peakDuring(server, async () => {
        for (let round = 0; round < rounds; round++) {
          ours.push((await exportAll(few!)).ms);
          bare.push(bareRead(join(server.dataDir, "parlance.db"), counts[0]));
        }
      });
      const large = await peakDuring(server, async () => {
        for (let round = 0; round < 2; round++) await exportAll(many!);
      });
      const cpuFrom = server.cpuMs();
      for (let round = 0; round < rounds; round++) await exportAll(few!);
      const cpuMs = (server.cpuMs() - cpuFrom) / rounds;
      const perSecond = (ms: number) => (counts[0] / ms) * 1_000;
      return [
        {
          what: "messages exported as JSON and Markdown, packed, median",
          unit: "messages/s",
          ours: perSecond(median(ours)),
          baseline: perSecond(median(bare)),
          against: "a bare read of the rows and JSON.stringify",
          aim: "≥ 5,000 messages/s",
          met: perSecond(median(ours)) >= 5_000,
        },
        {
          what: "messages exported per second of processor time",
          unit: "messages",
          ours: perSecond(cpuMs),
        },
        {
          what: `the server's memory while it exports ${counts[1]} messages`,
          unit: "MiB",
          ours: large,
          baseline: small,
          against: `while it exports ${counts[0]}`,
          aim: "≤ 1.25 ×, for four times as much",
          met: large <= 1.25 * small,
        },
        { what: "messages imported", unit: "messages/s", ours: perSecond(importMs) },
      ] satisfies Figure[];
    } finally {
      await server.stop();
    }
  },
};

async function exportAll(person: User): Promise<{ ms: number; bytes: number }> {
  const from = performance.now();
  const response = await fetch(`${person.url}/v1/export`, { headers: person.headers });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  if (!response.ok || bytes < 1_000) throw new Error(`The export has ${bytes} bytes.`);
  return { ms: performance.now() - from, bytes };
}

async function importThread(person: User, count: number): Promise<number> {
  const from = performance.now();
  const response = await fetch(`${person.url}/v1/import`, {
    method: "POST",
    headers: person.headers,
    body: new Blob([threadOf(count)]),
  });
  const report = await response.text();
  if (!report.includes(`"messages":${count}`)) throw new Error(`The import responded: ${report}`);
  return performance.now() - from;
}

function threadOf(count: number): string {
  let parent: string | null = null;
  const messages = Array.from({ length: count }, (_, index) => {
    const message = {
      id: newId("message"),
      parent_id: parent,
      role: index % 2 === 0 ? "user" : "assistant",
      format: "aui/v0",
      created_at: new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString(),
      content: {
        role: index % 2 === 0 ? "user" : "assistant",
        content: [{ type: "text", text: `${index}. ${text}` }],
      },
    };
    parent = message.id;
    return message;
  });
  const head = {
    format: "parlance-thread",
    version: 1,
    thread: { id: newId("thread"), title: `Of ${count}` },
  };
  return JSON.stringify({ ...head, messages });
}

/** The minimal work of an export: reads every row and writes it as JSON. */
function bareRead(path: string, count: number): number {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    const from = performance.now();
    const rows = file
      .prepare("select messages.* from messages join threads on threads.id = thread_id where title = ?")
      .all(`Of ${count}`);
    const json = JSON.stringify(rows);
    const ms = performance.now() - from;
    if (rows.length !== count || json.length < count) throw new Error(`There are ${rows.length} rows.`);
    return ms;
  } finally {
    file.close();
  }
}

/** The server's highest memory use during `work`, in MiB. */
async function peakDuring(server: Parlance, work: () => Promise<void>): Promise<number> {
  let peak = 0;
  const sample = () => (peak = Math.max(peak, server.residentMiB()));
  const timer = setInterval(sample, 20);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  sample();
  return peak;
}
