import type { ImportedPerson, ImportedThread, ImportEvent } from "#contract/endpoints/imports.ts";
import type { ExportedThread } from "#contract/endpoints/exports.ts";
import { webUiDatabase } from "../data/webui-db.ts";
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

/** Imports what all people of another server have. `text` is the whole response. */
export async function importEveryone(visitor: Visitor, file: Uint8Array, query = "") {
  const { status, text } = await visitor.send("POST", `/v1/people/import${query}`, {
    body: file as unknown as string,
    headers: { "Content-Type": "application/octet-stream" },
  });
  const events = status === 200 ? eventsIn(text) : [];
  return {
    status,
    text,
    people: events.filter((event): event is ImportedPerson => event.type === "import-person"),
    start: events.find((event) => event.type === "import-start"),
    end: events.find((event) => event.type === "import-end"),
  };
}

/** Imports somebody of another server, who has no account here. Returns their id. */
export async function importPersonFor(owner: Visitor, email: string): Promise<string> {
  await importEveryone(owner, await webUiDatabase((database) => database.person(email, "Ben", email)));
  return (await owner.call("preparedPeople.list")).people.find((person) => person.email === email)!.id;
}

function eventsIn(text: string): ImportEvent[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)) as ImportEvent);
}

export function reportOf(text: string): Report {
  const events = eventsIn(text);
  return {
    start: events.find(({ type }) => type === "import-start"),
    threads: events.filter((event): event is ImportedThread => event.type === "import-thread"),
    end: events.find(({ type }) => type === "import-end"),
  };
}

export const outcomesOf = (report: Report): string[] => report.threads.map(({ outcome }) => outcome);
