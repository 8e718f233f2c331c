import { useState } from "react";
import type { Invitation } from "#contract/endpoints/accounts.ts";
import { formFields } from "#contract/form-fields.ts";
import { useInvitations } from "#web/data/admin/people.ts";
import { useSignInOptions } from "#web/data/session/sign-in-options.ts";
import { Button } from "#web/ui/button.tsx";
import { showOutcome, showToast } from "#web/ui/toast.tsx";
import { currentLanguageTag } from "#web/i18n/load-language.ts";
import { printDay, t } from "#web/i18n/translate.ts";
import { AddForm } from "../../form/add-form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { SelectField } from "../../form/select-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { Mark, Row } from "../../row.tsx";
import { Rows } from "../../rows.tsx";
import { Page } from "../../page.tsx";
import { LinkDialog } from "../../link-dialog.tsx";
import screenStyles from "../../screen.module.css";
import styles from "./invitations-page.module.css";

type InvitationValues = { email: string; note: string; role: "member" | "admin" };

/** `/admin/invitations`: links with which people create an account. */
export function InvitationsPage() {
  const list = useInvitations();
  const mails = useSignInOptions()?.mails === true;
  const [link, setLink] = useState<{ link: string; isNotMailed: boolean }>();
  const form = useForm<InvitationValues>({
    first: { email: "", note: "", role: "member" },
    mistakesOf: (values) => mistakesByRules(values, { email: rules.email, note: rules.note }),
    async onSave({ email, note, role }) {
      const address = email.trim();
      const { link: created, is_mailed: isMailed } = await list.create({
        role,
        ...(note.trim() === "" ? {} : { note }),
        ...(address === "" ? {} : { email: address, language: currentLanguageTag() }),
      });
      if (isMailed) showToast(t("invitations.mailed", { address }));
      else setLink({ link: created, isNotMailed: address !== "" });
      return undefined;
    },
    emptied: ["email", "note"],
  });
  const hasEmail = form.values.email.trim() !== "";

  return (
    <Page title={t("invitations.title")}>
      <p className={screenStyles["about"]}>{t("invitations.about")}</p>
      <AddForm form={form} addLabel={t(hasEmail ? "invitations.send" : "invitations.create")}>
        {mails && (
          <div className={styles["inviteEmail"]}>
            <TextField
              label={t("invitations.email")}
              hint={t("invitations.emailHint")}
              type="email"
              dir="ltr"
              {...form.field("email")}
            />
          </div>
        )}
        <TextField label={t("invitations.note")} dir="auto" {...form.field("note")} />
        <SelectField
          label={t("people.role")}
          options={[
            ["member", t("role.member")],
            ["admin", t("role.admin")],
          ]}
          {...form.field("role")}
        />
      </AddForm>
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
            onRevoke={() => showOutcome(list.revoke(invitation.id), t("invitations.revoked"))}
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

const rules = formFields["invitations.create"];
