import { languageTags, type LanguageTag } from "#contract/i18n/languages.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { lockApps } from "#server/apps/rows.ts";
import type { Webhooks } from "#server/apps/webhooks/webhooks.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Mail } from "#server/people/mail/mail.ts";
import * as rows from "./rows.ts";

export type TellOfBackup = ReturnType<typeof createTellOfBackup>;

/** Tells administrators and their systems how backups end. */
export function createTellOfBackup(options: {
  db: Database;
  clock: Clock;
  webhooks: Pick<Webhooks, "announce">;
  mail: Pick<Mail, "deliver">;
  publicUrl: string | undefined;
}) {
  const { db, clock, webhooks, mail, publicUrl } = options;
  return {
    /** The webhooks that chose this event, of all apps. */
    async webhooks(tx: Tx, type: "backup.made" | "backup.failed", data: JsonObject): Promise<void> {
      for (const { id: appId } of await lockApps(tx))
        await webhooks.announce(tx, { appId, eventId: `backup-${clock.now()}`, type, data });
    },

    /** An e-mail to owners and administrators, if the server can send any. */
    async people(kind: "backup-failed" | "backups-work"): Promise<void> {
      if (publicUrl === undefined) return;
      const [server, link] = [new URL(publicUrl).host, `${publicUrl.replace(/\/$/, "")}/admin/backups`];
      for (const { email, language } of await rows.listRecipients(db.read))
        await mail.deliver(email, { kind, language: languageOf(language), server, link });
    },
  };
}

function languageOf(tag: string | null): LanguageTag {
  return languageTags.find((known) => known === tag) ?? "en";
}
