import { useState } from "react";
import type { Share } from "#contract/endpoints/shares.ts";
import { limits } from "#contract/limits.ts";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { ExpiryField } from "../form/expiry-field.tsx";
import { Field, fieldStyles } from "../form/field.tsx";
import { SelectField } from "../form/select-field.tsx";
import styles from "./shares.module.css";

/** What people choose for a link. `undefined` keeps what the link has. */
export type ShareChoice = {
  all_branches: boolean;
  with_files: boolean;
  audience: Share["audience"];
  expires_at: string | null | undefined;
  password: string | null | undefined;
};

const expiries = [1, 7, 30];
const dayMs = 24 * 3_600_000;

/** The fields that links have in common, for a new link or for `share`, and what they say now. */
export function useShareFields(share?: Share) {
  const [allBranches, setAllBranches] = useState(share?.all_branches ?? false);
  const [withFiles, setWithFiles] = useState(share?.with_files ?? false);
  const [audience, setAudience] = useState<Share["audience"]>(share?.audience ?? "anyone");
  const [expiry, setExpiry] = useState(share === undefined || share.expires_at === null ? "" : "date");
  const [date, setDate] = useState(share?.expires_at == null ? "" : dayOf(new Date(share.expires_at)));
  const [password, setPassword] = useState("");
  const [isKept, setKept] = useState(share?.has_password === true);

  const fields = (
    <>
      <CheckField
        label={t("share.allBranches")}
        hint={t("share.allBranchesHint")}
        checked={allBranches}
        onChange={setAllBranches}
      />
      <CheckField
        label={t("share.withFiles")}
        hint={t("share.withFilesHint")}
        checked={withFiles}
        onChange={setWithFiles}
      />
      <SelectField
        label={t("share.audience")}
        value={audience}
        options={[
          ["anyone", t("share.anyone")],
          ["members", t("share.members")],
        ]}
        onChange={setAudience}
      />
      <div className={styles["pair"]}>
        <ExpiryField days={expiries} withDate value={expiry} onChange={setExpiry} />
        {expiry === "date" && (
          <Field label={t("share.date")}>
            {(props) => (
              <input
                {...props}
                type="date"
                required
                min={dayOf(new Date())}
                value={date}
                className={fieldStyles["input"]}
                onChange={(event) => setDate(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
      </div>
      {share?.has_password === true && (
        <CheckField label={t("share.keepPassword")} checked={isKept} onChange={setKept} />
      )}
      {!isKept && (
        <Field label={t("share.password")} hint={t("share.passwordHint")}>
          {(props) => (
            <input
              {...props}
              type="password"
              autoComplete="new-password"
              minLength={limits.passwordCharactersMin}
              maxLength={limits.passwordCharacters}
              value={password}
              className={fieldStyles["input"]}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </>
  );

  const choice = (): ShareChoice => ({
    all_branches: allBranches,
    with_files: withFiles,
    audience,
    expires_at: expiryOf(expiry, date, share?.expires_at ?? null),
    password: isKept ? undefined : password === "" ? null : password,
  });
  return { fields, choice };
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
