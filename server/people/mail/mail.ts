import type { MailSettings, MailTestResult } from "#contract/endpoints/mail.ts";
import type { LanguageTag } from "#contract/i18n/languages.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import * as rows from "./rows.ts";
import { MailError, sendBySmtp } from "./smtp.ts";
import { contextOf, mailPasswordOf } from "./mail-vault.ts";
import { writeMessage, type MailMessage } from "./write-message.ts";

/**
 * E-mail, which is sent only if the owner has entered a mail server and the operator has set `PUBLIC_URL`: anybody can ask
 * for a message with a link, and choose the `Host` of that request.
 */
export type Mail = ReturnType<typeof createMail>;

export function createMail(options: {
  db: Database;
  clock: Clock;
  logger: Logger;
  vault: SecretVault;
  mayStoreSecrets: boolean;
  publicUrl: string | undefined;
}) {
  const { db, clock, logger, vault, mayStoreSecrets, publicUrl } = options;

  const findUsable = async () => (publicUrl === undefined ? undefined : await rows.findMailSettings(db.read));

  /** Throws `mail-not-set` and `MailError`. */
  async function send(to: string, message: MailMessage): Promise<void> {
    const row = await findUsable();
    if (row === undefined) throw new AppError("mail-not-set");
    await sendBySmtp({ ...row, password: mailPasswordOf(vault, row) }, { to, ...writeMessage(message) });
  }

  function present(row: rows.MailRow): MailSettings {
    return {
      host: row.host,
      port: row.port,
      security: row.security,
      username: row.username,
      sender: row.sender,
      has_password: mailPasswordOf(vault, row) !== undefined,
    };
  }

  return {
    isSet: async (): Promise<boolean> => (await findUsable()) !== undefined,

    async settings(): Promise<MailSettings | null> {
      const row = await rows.findMailSettings(db.read);
      return row === undefined ? null : present(row);
    },

    /** Throws `public-url-not-set` and `secret-not-set`, and `bad-request` if another server or user needs the password again. */
    async put(
      actor: Actor,
      { password, ...given }: Omit<MailSettings, "has_password"> & { password?: string | undefined },
    ): Promise<void> {
      if (publicUrl === undefined) throw new AppError("public-url-not-set");
      if (password !== undefined && !mayStoreSecrets) throw new AppError("secret-not-set");
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const before = await rows.findMailSettings(tx.q);
        const isSame = before !== undefined && contextOf(before) === contextOf(given);
        if (given.username !== null && password === undefined && !(isSame && before.ciphertext !== null))
          throw badRequest("body.password", "must be set, because the server or the user is new");
        await rows.putMailSettings(tx, { id: "server", ...given, updated_at: nowMs });
        if (given.username === null) await rows.deleteMailSecret(tx);
        else if (password !== undefined)
          await rows.putMailSecret(tx, vault.encrypt(password, contextOf(given)));
        await recordAudit(tx, { action: "mail-settings-changed", actor, details: given }, nowMs);
      });
    },

    /** Throws `mail-not-set`. */
    async remove(actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        if (!(await rows.deleteMailSettings(tx))) throw new AppError("mail-not-set");
        const details = { removed: true };
        await recordAudit(tx, { action: "mail-settings-changed", actor, details }, clock.now());
      });
    },

    /** Sends a message to see whether it works, and says why not. Throws `mail-not-set`. */
    async test(to: string, language: LanguageTag, server: string): Promise<MailTestResult> {
      try {
        await send(to, { kind: "test", language, server });
        return { problem: null, server_text: null, to };
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        logger.warn({ err: error }, "a test message was not sent");
        return { problem: error.problem, server_text: error.serverText?.slice(0, 500) ?? null, to };
      }
    },

    /** Sends a message. Returns whether the mail server took it; the log has the reason if not. */
    async deliver(to: string, message: MailMessage): Promise<boolean> {
      try {
        await send(to, message);
        return true;
      } catch (error) {
        // The owner can have removed the mail server meanwhile.
        if (!(error instanceof MailError || error instanceof AppError)) throw error;
        logger.warn({ err: error, kind: message.kind }, "an e-mail was not sent");
        return false;
      }
    },
  };
}
