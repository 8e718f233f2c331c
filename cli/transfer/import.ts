import { resolve } from "node:path";
import type { Command } from "commander";
import type { ImportEvent, ImportedThread } from "#contract/endpoints/imports.ts";
import { openFile, type Upload } from "#server/transfer/imports/upload.ts";
import type { Database } from "#storage/database/database.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { projectOption } from "../project-named.ts";
import { carryingOver } from "./rooms.ts";
import { visitorOf, whomOptions, type Whom } from "./visitor.ts";

/** An operator knows what they unpack; a list of a million names is what memory bears. */
const anyZip = { entries: 1_000_000, unpackedBytes: Number.MAX_SAFE_INTEGER };

/** `import <file>`: what somebody could bring in themselves, and larger. */
export function importThreads(program: Command, door: Door): void {
  program
    .command("import")
    .argument("<file>", "an export of Parlance, ChatGPT or Claude: the zip, or a JSON file of it")
    .description("bring threads in for one person or workspace; with SQLite no server may be running")
    .option(...whomOptions.user)
    .option(...whomOptions.workspace)
    .option(projectOption.flags, projectOption.about)
    .action(async (given: string, whom: Whom) => {
      const path = resolve(given);
      const file = await openFile(path).catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          error.code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${error.code}).`,
        );
      });
      const report = await door
        .withDatabaseAlone(async (db) => await bringIn(db, door, whom, file))
        // Whoever reads it closes it, and nobody does where the database cannot be opened.
        .catch(async (error: unknown) => {
          await file.close();
          throw error;
        });
      const { end, refused } = report;
      door.answer({
        text: `Added ${end.added} threads; ${end.updated} were here and have more messages now, ${end.unchanged} were here already. ${end.messages} new messages, ${end.files} new files.`,
        json: {
          added: end.added,
          updated: end.updated,
          unchanged: end.unchanged,
          refused: end.refused,
          messages: end.messages,
          files: end.files,
          missing_files: end.missing_files,
          refusals: refused.map(({ number, title, error }) => ({ number, title, error })),
        },
      });
      if (end.refused > 0)
        throw new CommandError(`${end.refused} threads were not taken. The lines above say why.`);
    });
}

async function bringIn(db: Database, door: Door, whom: Whom, file: Upload) {
  const visitor = await visitorOf(db, door, whom, true);
  const { files, baseUrl, publicUrl } = door.config();
  const { imports } = await carryingOver(db, door);
  // Without any of them, addresses of files are paths, as our own page reads them.
  const base = files.origin ?? baseUrl ?? publicUrl ?? "";
  const { signal } = new AbortController();
  return await told(await imports.read(visitor, file, base, anyZip, signal), door);
}

/** Refusals beyond these are counted only. */
const toldRefusals = 100;

async function told(events: AsyncIterable<ImportEvent>, door: Door) {
  const refused: ImportedThread[] = [];
  let end: Extract<ImportEvent, { type: "import-end" }> | undefined;
  for await (const event of events) {
    if (event.type === "import-end") end = event;
    if (event.type !== "import-thread") continue;
    door.note(lineOf(event));
    if (event.outcome === "refused" && refused.length < toldRefusals) refused.push(event);
  }
  return { end: end!, refused };
}

function lineOf({
  outcome,
  number,
  title,
  thread_id: id,
  messages,
  files,
  missing,
  error,
}: ImportedThread): string {
  const name = `${number} ${JSON.stringify(title ?? "")}`;
  if (error === null) {
    const lost = missing.map(
      (file) => `\n          ${JSON.stringify(file.name)} is missing: ${file.error.message}`,
    );
    return `${outcome.padEnd(9)} ${name}: ${id}, ${messages} new messages, ${files} new files${lost.join("")}`;
  }
  const where = (error.details ?? []).map((detail) => ` ${detail.path} ${detail.message}.`).join("");
  return `${outcome.padEnd(9)} ${name}: ${error.message}${where}`;
}
