import { resolve } from "node:path";
import type { Command } from "commander";
import type { ImportEvent, ImportedThread } from "#contract/endpoints/imports.ts";
import { openFile, type Upload } from "#server/transfer/imports/upload.ts";
import type { ImportOptions } from "#server/transfer/imports/import-candidate.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Database } from "#storage/database/database.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";
import { recordCommand } from "../record-command.ts";
import { appOption } from "../app-option.ts";
import { asOwner, reportEveryone } from "./import-everyone.ts";
import { createOfflineTransfer } from "./offline-transfer.ts";
import { auditedId, findVisitor, userOptions, type UserOptions } from "./user-options.ts";

/** Higher limits than for uploads, because the operator trusts the file. The list of names must fit in memory. */
const zipLimits = { entries: 1_000_000, unpackedBytes: Number.MAX_SAFE_INTEGER };

type Options = UserOptions & { preview?: true; everyone?: true };

/** `import <file>`: imports an export for one user or workspace, or for everybody, without the size limit of uploads. */
export function importThreads(program: Command, context: CommandContext): void {
  program
    .command("import")
    .argument(
      "<file>",
      "an export of Parlance or of another product: the file as it was downloaded, or its database",
    )
    .description(
      "import threads for one user or workspace, or for everybody; with SQLite the server must be stopped",
    )
    .option(...userOptions.user)
    .option(...userOptions.workspace)
    .option("--everyone", "import what all people of another product's server have: its database or its dump")
    .option("--preview", "say what would be imported, and import nothing")
    .option(appOption.flags, appOption.about)
    .action(async (given: string, options: Options) => {
      if (options.everyone === true && (options.user ?? options.workspace ?? options.app) !== undefined)
        throw new CommandError("--everyone imports for all people: leave out --user, --workspace and --app.");
      const path = resolve(given);
      const file = await openFile(path).catch((error: NodeJS.ErrnoException) => {
        throw new CommandError(
          error.code === "ENOENT" ? `There is no file ${path}.` : `${path} cannot be read (${error.code}).`,
        );
      });
      const work = options.everyone === true ? importEveryone : importForOne;
      await context
        .withExclusiveDatabase(async (db) => await work(db, context, options, file))
        // The import closes the file. If the database cannot be opened, no import runs.
        .catch(async (error: unknown) => {
          await file.close();
          throw error;
        });
    });
}

async function importForOne(db: Database, context: CommandContext, options: Options, file: Upload) {
  const isPreview = options.preview === true;
  const visitor = await findVisitor(db, context, options, !isPreview);
  if (!isPreview)
    await recordCommand(db, context.clock, { action: "content-imported", target: auditedId(visitor) });
  const { end, refused } = await collectResults(
    await read(db, context, { visitor, isPreview }, file),
    context,
  );
  context.print({
    text: `Added ${end.added} threads, updated ${end.updated}, left ${end.unchanged} unchanged. ${end.messages} new messages, ${end.files} new files, ${end.prompts} new prompts.`,
    json: {
      added: end.added,
      updated: end.updated,
      unchanged: end.unchanged,
      refused: end.refused,
      messages: end.messages,
      files: end.files,
      prompts: end.prompts,
      missing_files: end.missing_files,
      skipped_items: end.skipped_items,
      unused_files: end.unused_files,
      refusals: refused.map(({ number, title, error }) => ({ number, title, error })),
    },
  });
  if (end.refused > 0)
    throw new CommandError(`${end.refused} threads were refused. The lines above say why.`);
}

async function importEveryone(db: Database, context: CommandContext, options: Options, file: Upload) {
  const isPreview = options.preview === true;
  const { visitor, everyone } = await asOwner(db, context);
  await reportEveryone(await read(db, context, { visitor, everyone, isPreview }, file), context);
}

async function read(
  db: Database,
  context: CommandContext,
  { visitor, ...what }: { visitor: Visitor } & Pick<ImportOptions, "isPreview" | "everyone">,
  file: Upload,
) {
  const { files, baseUrl, publicUrl } = context.config();
  const { imports } = await createOfflineTransfer(db, context);
  // Without any of them, file URLs are paths, which our own page can read.
  const base = files.origin ?? baseUrl ?? publicUrl ?? "";
  const { signal } = new AbortController();
  return await imports.read(visitor, file, { base, ...what }, zipLimits, signal);
}

/** Further refusals are only counted. */
const listedRefusalsMax = 100;

async function collectResults(events: AsyncIterable<ImportEvent>, context: CommandContext) {
  const refused: ImportedThread[] = [];
  let end: Extract<ImportEvent, { type: "import-end" }> | undefined;
  for await (const event of events) {
    if (event.type === "import-end") {
      end = event;
      for (const name of event.unused) context.log(`unused    ${JSON.stringify(name)}`);
      for (const { reason, name, count } of event.skipped)
        context.log(`left out  ${count} ${name} (${reason})`);
    }
    if (event.type !== "import-thread") continue;
    context.log(formatThread(event));
    if (event.outcome === "refused" && refused.length < listedRefusalsMax) refused.push(event);
  }
  return { end: end!, refused };
}

function formatThread({
  outcome,
  number,
  title,
  thread_id: id,
  messages,
  files,
  missing,
  skipped,
  error,
}: ImportedThread): string {
  const name = `${number} ${JSON.stringify(title ?? "")}`;
  if (error === null) {
    const lost = missing.map(
      (file) => `\n          ${JSON.stringify(file.name)} is missing: ${file.error.message}`,
    );
    const left = skipped.map((each) => `\n          ${each.count} left out (${each.reason}): ${each.name}`);
    return `${outcome.padEnd(9)} ${name}: ${id}, ${messages} new messages, ${files} new files${[...lost, ...left].join("")}`;
  }
  const where = (error.details ?? []).map((detail) => ` ${detail.path} ${detail.message}.`).join("");
  return `${outcome.padEnd(9)} ${name}: ${error.message}${where}`;
}
