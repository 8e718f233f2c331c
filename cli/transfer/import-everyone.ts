import type { ImportedPerson, ImportEvent } from "#contract/endpoints/imports.ts";
import { operator } from "#server/audit/audit.ts";
import { owner } from "#server/apps/first-app.ts";
import { findAccount, findFirstOwner } from "#server/people/accounts/rows.ts";
import { visitorOf } from "#server/people/prepared/prepare-person.ts";
import type { ImportOptions } from "#server/transfer/imports/import-candidate.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Database } from "#storage/database/database.ts";
import type { CommandContext } from "../command-context.ts";
import { addressOf } from "../owner.ts";
import { CommandError } from "../errors.ts";

/** The import of everybody, for the owner, whose invitations they are. Throws `CommandError` if the owner has no account. */
export async function asOwner(
  db: Database,
  context: CommandContext,
): Promise<{ visitor: Visitor; everyone: NonNullable<ImportOptions["everyone"]> }> {
  const first = await findFirstOwner(db.read);
  const account = first && (await findAccount(db.read, { id: first.id }));
  if (account === undefined || account.joined_at === null)
    throw new CommandError(
      "--everyone: the owner has no account yet, and invitations are the owner's. Create it first.",
    );
  const linkOf = (token: string) => `${addressOf(context)}/invite#${token}`;
  return {
    visitor: { ...visitorOf(account), appId: owner.appId },
    everyone: { inviterId: account.id, actor: operator, linkOf },
  };
}

type End = Extract<ImportEvent, { type: "import-end" }>;

/** Prints a line for each person as they are imported, then the result. */
export async function reportEveryone(
  events: AsyncIterable<ImportEvent>,
  context: CommandContext,
): Promise<void> {
  const people: ImportedPerson[] = [];
  let end: End | undefined;
  for await (const event of events) {
    if (event.type === "import-end") end = event;
    if (event.type !== "import-person") continue;
    context.log(lineOf(event));
    people.push(event);
  }
  const whole = end!;
  for (const { reason, name, count } of whole.skipped) context.log(`left out  ${count} ${name} (${reason})`);
  for (const model of whole.server?.models ?? [])
    context.log(`model     ${JSON.stringify(model)}: assistants use it when a provider offers it`);
  const refused = people.filter(({ outcome }) => outcome === "refused").length;
  const { added, updated, unchanged, messages, files, prompts, missing_files, skipped_items } = whole;
  context.print({
    text: `${people.length - refused} people. Added ${added} threads, updated ${updated}, left ${unchanged} unchanged. ${messages} new messages, ${files} new files, ${prompts} new prompts, ${whole.server?.groups ?? 0} groups, ${whole.server?.assistants ?? 0} new assistants.`,
    json: {
      people: people.map(({ name, email, outcome, link, is_address_unproved, counts, refusals }) => ({
        name,
        email,
        outcome,
        link,
        is_address_unproved,
        ...counts,
        refusals,
      })),
      added,
      updated,
      unchanged,
      refused: whole.refused,
      messages,
      files,
      prompts,
      missing_files,
      skipped_items,
      skipped: whole.skipped,
      ...whole.server,
    },
  });
  if (refused + whole.refused > 0)
    throw new CommandError(
      `${refused} people and ${whole.refused} threads were refused. The lines above say why.`,
    );
}

function lineOf({
  outcome,
  number,
  name,
  email,
  link,
  is_address_unproved,
  counts,
  refusals,
}: ImportedPerson): string {
  const { added, updated, unchanged } = counts;
  const lines = [
    `${outcome.padEnd(9)} ${number} ${JSON.stringify(name)} <${email}>: ${added} new threads, ${updated} updated, ${unchanged} unchanged`,
    ...(link === null ? [] : [link]),
    ...(is_address_unproved ? ["An account here has this address, but nobody has proved it."] : []),
    ...refusals.map(({ error, count }) => `${count} refused: ${error.message}`),
  ];
  return lines.join("\n          ");
}
