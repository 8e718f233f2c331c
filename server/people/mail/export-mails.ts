import { languageTags } from "#contract/i18n/languages.ts";
import type { Database } from "#storage/database/database.ts";
import { findAccount } from "../accounts/rows.ts";
import { findProfile } from "../profile/rows.ts";
import type { Mail } from "./mail.ts";

/** Messages to people whose chats the operator exported. */
export function createExportMails(options: { db: Database; mail: Mail; publicUrl: string | undefined }) {
  const { db, mail, publicUrl } = options;
  return {
    /** Sends the message, if there is a mail server and the user still has an account. */
    async send(_: null, { userId }: { userId: string | null }): Promise<void> {
      const account = userId === null ? undefined : await findAccount(db.read, { id: userId });
      if (account === undefined || account.joined_at === null || account.email === null) return;
      if (publicUrl === undefined || !(await mail.isSet())) return;
      const chosen = (await findProfile(db.read, account.id))?.language;
      await mail.deliver(account.email, {
        kind: "export",
        language: languageTags.find((tag) => tag === chosen) ?? "en",
        server: new URL(publicUrl).host,
        link: `${publicUrl}/settings/data`,
      });
    },
  };
}
