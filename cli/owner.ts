import type { Command } from "commander";
import { operator } from "#server/audit/audit.ts";
import { createResetToken } from "#server/people/accounts/reset-links.ts";
import { resetSecondFactor } from "#server/sign-in/second-factor/second-factors.ts";
import { findFirstOwner, lockUsers } from "#server/people/accounts/rows.ts";
import { loadSecret, ownerSecretOf } from "#server/sign-in/secrets.ts";
import { prepareDataDir } from "#server/settings/data-dir.ts";
import { commandLine } from "#server/lib/program.ts";
import type { CommandContext } from "./command-context.ts";
import { CommandError } from "./errors.ts";

/** `owner-link`: prints the owner's link again. */
export function ownerLink(program: Command, context: CommandContext): void {
  program
    .command("owner-link")
    .description("print the owner's link, as the server does when it starts, for an owner without an account")
    .action(async () => {
      const { secret, dataDir } = context.config();
      if (secret === undefined) await prepareDataDir(dataDir);
      const link = `${addressOf(context)}/owner#${ownerSecretOf(await loadSecret(secret, dataDir))}`;
      context.print({ text: link, json: { owner_link: link } });
    });
}

/** `owner reset`: prints a link with which the owner sets a new password. */
export function ownerReset(group: Command, context: CommandContext): void {
  group
    .command("reset")
    .description(
      "print a link with which the owner sets a new password, and remove their second factor; the link works once, for a day",
    )
    .action(async () => {
      const token = await context.withDatabase(
        async (db) =>
          await db.write(async (tx) => {
            const owner = await findFirstOwner(tx.q);
            const account = owner && (await lockUsers(tx, [owner.id])).get(owner.id);
            if (account === undefined || account.joined_at === null) return undefined;
            const nowMs = context.clock.now();
            await resetSecondFactor(tx, account.id, operator, nowMs);
            return await createResetToken(tx, account.id, operator, nowMs, "copied");
          }),
      );
      if (token === undefined)
        throw new CommandError(
          `The owner has no account. Sign in with the link of: ${commandLine} owner-link`,
        );
      const link = `${addressOf(context)}/reset#${token}`;
      context.print({
        text: `${link}\n\nIt works once, for a day. The person who opens it becomes the owner.`,
        json: { reset_link: link },
      });
    });
}

/** Where the server is, for links: as people reach it, or as it listens. */
export function addressOf(context: CommandContext): string {
  const { publicUrl, host, port } = context.config();
  return publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
