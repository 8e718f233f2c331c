import { resolve } from "node:path";
import type { Command } from "commander";
import { newId } from "#contract/ids.ts";
import { operator } from "#server/audit/audit.ts";
import { commandLine, isPackage } from "#server/lib/program.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import type { Added, Rollback } from "#storage/rollback/planned-rollback.ts";
import { rollBack, upgradeCopies } from "#storage/rollback/rollback.ts";
import type { CommandContext } from "../command-context.ts";
import { CommandError } from "../errors.ts";

/** `rollback`: puts back the copy of the database that was made before the last upgrade. */
export function rollback(program: Command, context: CommandContext): void {
  program
    .command("rollback")
    .argument("[copy]", "the copy to put back; the newest one by default")
    .description("put back the database as it was before the last upgrade; the server must be stopped")
    .option("--yes", "do not ask")
    .action(async (given: string | undefined, { yes }: { yes?: true }) => {
      const { databaseUrl, databaseDirectUrl, dataDir } = context.config();
      const place = { databaseUrl: databaseDirectUrl ?? databaseUrl, dataDir };
      const copies = upgradeCopies(place);
      const copy =
        given === undefined ? copies[0] : copies.find(({ path }) => path === resolve(dataDir, given));
      if (copy === undefined)
        throw new CommandError(
          copies.length === 0
            ? `There is no copy of the database in ${dataDir}. Restore a backup instead: ${commandLine} restore`
            : `${given!} is no copy of this database. There are: ${copies.map(({ path }) => path).join(", ")}`,
        );
      const nowMs = context.clock.now();
      const details = { file: copy.path, taken_at: new Date(copy.takenAtMs).toISOString() };
      const done = await rollBack(place, {
        copy,
        auditEntry: {
          id: newId("audit", nowMs),
          at: nowMs,
          action: "backup-restored",
          actor: operator.id,
          details: JSON.stringify(details),
        },
        async confirm(planned) {
          context.log(plan(planned));
          return yes === true || (await context.confirm("Put the copy back?"));
        },
      });
      if (done === undefined) throw new CommandError("Nothing was changed.");
      context.print({
        text: `The copy is back. The newer database is kept as ${done.keptAs}.\n${nextStep(done)}`,
        json: {
          copy: copy.path,
          version: done.version ?? null,
          added: done.added ?? null,
          kept_as: done.keptAs,
        },
      });
    });
}

const nouns: Record<keyof Added, [one: string, many: string]> = {
  threads: ["chat", "chats"],
  messages: ["message", "messages"],
  files: ["file", "files"],
  users: ["person", "people"],
};

function plan({ copy, added, keptAs }: Rollback): string {
  const when = new Date(copy.takenAtMs).toISOString().replace("T", " ").replace(/\..*/, " UTC");
  const counts = Object.entries(added ?? {}).map(
    ([table, count]) => `${count} ${nouns[table as keyof Added][count === 1 ? 0 : 1]}`,
  );
  return [
    `${copy.path} was made on ${when}, before version ${copy.before} changed the database.`,
    added === undefined
      ? "What was added since then cannot be counted: the database as it is now is gone or damaged."
      : `Since then, these were added, and are not in it: ${counts.join(", ")}. What was changed or deleted since then is again as it was.`,
    `The database as it is now is kept as ${keptAs}.`,
  ].join("\n");
}

/** This version would upgrade the database again. */
function nextStep({ copy, version }: Rollback): string {
  if (copy.before !== programVersion()) return "Start the server.";
  const older =
    version === undefined || version === copy.before
      ? `the version before ${copy.before}`
      : `version ${version}`;
  const how =
    version === undefined || version === copy.before
      ? ""
      : isPackage
        ? `: ${commandLine} update --to ${version}`
        : `, such as with: git checkout v${version}`;
  return `Before you start the server, install ${older}${how}. This version, ${programVersion()}, would upgrade the database again.`;
}
