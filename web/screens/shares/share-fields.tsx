import type { Share } from "#contract/endpoints/shares.ts";
import { formFields } from "#contract/form-fields.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { ExpiryField } from "../form/expiry-field.tsx";
import { mistakesByRules } from "../form/mistakes-by-rules.ts";
import { SelectField } from "../form/select-field.tsx";
import { TextField } from "../form/text-field.tsx";
import { type OnSave, useForm } from "../form/use-form.ts";
import styles from "./shares.module.css";

/** The fields of a link. `isKept`: its password stays as it is. */
export type ShareValues = {
  isLive: boolean;
  allBranches: boolean;
  withFiles: boolean;
  audience: Share["audience"];
  /** A number of days, `date`, or empty for never. */
  expiry: string;
  date: string;
  password: string;
  isKept: boolean;
};

const expiries = [1, 7, 30];
const dayMs = 24 * 3_600_000;

/** A form for a new link, or for `share`. */
export function useShareForm(share: Share | undefined, onSave: OnSave<ShareValues>) {
  return useForm<ShareValues>({
    first: {
      isLive: share?.is_live ?? false,
      allBranches: share?.all_branches ?? false,
      withFiles: share?.with_files ?? false,
      audience: share?.audience ?? "anyone",
      expiry: share === undefined || share.expires_at === null ? "" : "date",
      date: share?.expires_at == null ? "" : dayOf(new Date(share.expires_at)),
      password: "",
      isKept: share?.has_password === true,
    },
    mistakesOf: mistakesInShare,
    onSave,
  });
}

function mistakesInShare({ expiry, date, password, isKept }: ShareValues) {
  return {
    ...(expiry === "date" && date < dayOf(new Date()) ? { date: t("share.noDate") } : {}),
    ...(isKept ? {} : mistakesByRules({ password }, { password: formFields["shares.create"].password })),
  };
}

/** The fields that links have in common. */
export function ShareFields({ share, form }: { share?: Share; form: ReturnType<typeof useShareForm> }) {
  const { expiry, isKept } = form.values;
  return (
    <>
      <CheckField
        label={t("share.allBranches")}
        hint={t("share.allBranchesHint")}
        {...form.checkbox("allBranches")}
      />
      <CheckField
        label={t("share.withFiles")}
        hint={t("share.withFilesHint")}
        {...form.checkbox("withFiles")}
      />
      <SelectField
        label={t("share.audience")}
        options={[
          ["anyone", t("share.anyone")],
          ["members", t("share.members")],
        ]}
        {...form.field("audience")}
      />
      <div className={styles["pair"]}>
        <ExpiryField days={expiries} withDate {...form.field("expiry")} />
        {expiry === "date" && (
          <TextField label={t("share.date")} type="date" min={dayOf(new Date())} {...form.field("date")} />
        )}
      </div>
      {share?.has_password === true && (
        <CheckField label={t("share.keepPassword")} {...form.checkbox("isKept")} />
      )}
      {!isKept && (
        <TextField
          label={t("share.password")}
          hint={t("share.passwordHint")}
          type="password"
          autoComplete="new-password"
          {...form.field("password")}
        />
      )}
      {form.failure !== undefined && (
        <p role="alert" className="text-3 danger">
          {form.failure.message}
        </p>
      )}
    </>
  );
}

/** What the endpoints get. What `share` has is left out if it stays. */
export function shareBodyOf(values: ShareValues, share?: Share) {
  const { allBranches, withFiles, audience, expiry, date, password, isKept } = values;
  const expiresAt = expiryOf(expiry, date, share?.expires_at ?? null);
  return {
    all_branches: allBranches,
    with_files: withFiles,
    audience,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(isKept ? {} : { password: password === "" ? null : password }),
  };
}

/** The end of the chosen day in the person's time zone. `undefined` if it is the day that the link has. */
function expiryOf(expiry: string, date: string, current: string | null): string | null | undefined {
  if (expiry === "") return null;
  if (expiry !== "date") return new Date(Date.now() + Number(expiry) * dayMs).toISOString();
  if (current !== null && dayOf(new Date(current)) === date) return undefined;
  return new Date(`${date}T23:59:59`).toISOString();
}

function dayOf(instant: Date): string {
  const local = new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}
