import type { ImportedThread, ImportEvent } from "#contract/endpoints/imports.ts";
import type { ExportedThread } from "#contract/endpoints/exports.ts";
import type { Visitor } from "./visitor.ts";

/** Exports everything of a visitor, as a zip. */
export async function exportAll(owner: Visitor): Promise<Uint8Array> {
  const response = await fetch(`${owner.url}/v1/export`, { headers: owner.headers });
  if (!response.ok) throw new Error(`export: ${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Exports one thread as JSON with all its branches. */
export async function exportThread(owner: Visitor, threadId: string): Promise<ExportedThread> {
  const { status, body, text } = await owner.ask("exports.thread", { params: { thread_id: threadId } });
  if (status !== 200) throw new Error(`export: ${status} ${text}`);
  return body as unknown as ExportedThread;
}

export type Report = {
  start: ImportEvent | undefined;
  threads: ImportedThread[];
  end: ImportEvent | undefined;
};

/** Imports a file and returns the report. Throws if the whole file is refused. */
export async function importFile(visitor: Visitor, file: Uint8Array | string, query = ""): Promise<Report> {
  const { status, text } = await visitor.send("POST", `/v1/import${query}`, {
    body: file as string,
    headers: { "Content-Type": "application/octet-stream" },
  });
  if (status !== 200) throw new Error(`import: ${status} ${text}`);
  return reportOf(text);
}

export function reportOf(text: string): Report {
  const events = text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as ImportEvent);
  return {
    start: events.find(({ type }) => type === "import-start"),
    threads: events.filter((event): event is ImportedThread => event.type === "import-thread"),
    end: events.find(({ type }) => type === "import-end"),
  };
}

export const outcomesOf = (report: Report): string[] => report.threads.map(({ outcome }) => outcome);
