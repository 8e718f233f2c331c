import { useState } from "react";
import type { Invitation } from "#contract/endpoints/accounts.ts";
import { limits } from "#contract/limits.ts";
import { useInvitations } from "#web/data/admin/people.ts";
import { useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { Button } from "#web/ui/button.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../../form/field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useSubmit } from "../../form/use-submit.ts";
import { Mark, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { LinkDialog } from "../../link-dialog.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./invitations-page.module.css";

/** `/admin/invitations`: links with which people create an account. */
export function InvitationsPage() {
  const list = useInvitations();
  const mails = useSignInOptions()?.mails === true;
  const [link, setLink] = useState<{ link: string; isNotMailed: boolean }>();
  const [email, setEmail] = useState("");
  const [note, setNote] = useState("");
  const [role, setRole] = useState<"member" | "admin">("member");
  const { isSending, submit } = useSubmit(async () => {
    const address = mails ? email.trim() : "";
    const { link: created, is_mailed: isMailed } = await list.create({
      role,
      ...(note.trim() === "" ? {} : { note }),
      ...(address === "" ? {} : { email: address, language: currentLanguageTag() }),
    });
    if (isMailed) showToast(t("invitations.mailed", { address }));
    else setLink({ link: created, isNotMailed: address !== "" });
    setNote("");
    setEmail("");
  });

  return (
    <Page title={t("invitations.title")}>
      <p className={screenStyles["about"]}>{t("invitations.about")}</p>
      <form className={screenStyles["invite"]} onSubmit={submit}>
        {mails && (
          <div className={styles["inviteEmail"]}>
            <TextField
              label={t("invitations.email")}
              hint={t("invitations.emailHint")}
              type="email"
              dir="ltr"
              value={email}
              onChange={setEmail}
            />
          </div>
        )}
        <TextField
          label={t("invitations.note")}
          dir="auto"
          maxLength={limits.accountNameCharacters}
          value={note}
          onChange={setNote}
        />
        <Field label={t("people.role")}>
          {(props) => (
            <select
              {...props}
              value={role}
              className={fieldStyles["input"]}
              onChange={(event) => setRole(event.currentTarget.value as "member" | "admin")}
            >
              <option value="member">{t("role.member")}</option>
              <option value="admin">{t("role.admin")}</option>
            </select>
          )}
        </Field>
        <Button type="submit" look="strong" disabled={isSending}>
          {t(mails && email.trim() !== "" ? "invitations.send" : "invitations.create")}
        </Button>
      </form>
      <Rows
        list={list}
        rows={list.invitations}
        loadingLabel={t("invitations.loading")}
        failedTitle={t("invitations.failed")}
        empty={[t("invitations.empty")]}
      >
        {(invitation) => (
          <InvitationRow
            invitation={invitation}
            onRevoke={() =>
              void list.revoke(invitation.id).then(() => showToast(t("invitations.revoked")), showFailure)
            }
          />
        )}
      </Rows>
      {link !== undefined && (
        <LinkDialog
          title={t("invitations.link")}
          about={t(link.isNotMailed ? "invitations.notMailed" : "invitations.linkWhat")}
          link={link.link}
          onClose={() => setLink(undefined)}
        />
      )}
    </Page>
  );
}

function InvitationRow({ invitation, onRevoke }: { invitation: Invitation; onRevoke(): void }) {
  const name = invitation.note ?? t("invitations.unnamed");
  return (
    <Row
      name={name}
      mark={invitation.role === "admin" && <Mark>{t("role.admin")}</Mark>}
      facts={[
        t("invitations.expires", { day: printDay(new Date(invitation.expires_at)) }),
        invitation.invited_by !== null && t("invitations.by", { name: invitation.invited_by }),
      ]}
    >
      <Button aria-label={t("invitations.revokeNamed", { name })} onClick={onRevoke}>
        {t("invitations.revoke")}
      </Button>
    </Row>
  );
}
