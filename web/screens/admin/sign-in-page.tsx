import { type FormEvent, useState } from "react";
import type { SignInSettings } from "#contract/endpoints/people.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { useSignInSettings } from "#web/data/people/people.ts";
import { Button } from "#web/ui/button.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import styles from "./admin.module.css";

/** `/admin/sign-in`: who may use the server, and who can get an account. */
export function SignInPage() {
  const settings = useSignInSettings();
  return (
    <Page title={t("signInSettings.title")}>
      <ListContent
        list={settings}
        isEmpty={false}
        loadingLabel={t("signInSettings.loading")}
        failedTitle={t("signInSettings.failed")}
      >
        {settings.stored !== undefined && (
          <SettingsForm
            stored={settings.stored.settings}
            areGuestsAllowed={settings.stored.guests_allowed}
            onSave={settings.save}
          />
        )}
      </ListContent>
    </Page>
  );
}

function SettingsForm({
  stored,
  areGuestsAllowed,
  onSave,
}: {
  stored: SignInSettings;
  areGuestsAllowed: boolean;
  onSave: (settings: SignInSettings) => Promise<void>;
}) {
  const [joining, setJoining] = useState(stored.joining);
  const [guests, setGuests] = useState(stored.guests);
  const [domains, setDomains] = useState(stored.email_domains.join(", "));
  const [failure, setFailure] = useState<Failure>();
  const [isSaving, setSaving] = useState(false);
  const list = domains.split(/[\s,;]+/).filter((domain) => domain !== "");
  const wrong = list.find((domain) => !/^[^\s@]+\.[^\s@]+$/.test(domain));

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSaving || wrong !== undefined) return;
    setSaving(true);
    setFailure(undefined);
    try {
      await onSave({ joining, guests, email_domains: list });
      showToast(t("account.saved"));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setSaving(false);
    }
  }

  return (
    <form className={styles["form"]} onSubmit={(event) => void save(event)}>
      <fieldset className={styles["choices"]}>
        <legend>{t("signInSettings.joining")}</legend>
        {(["invitation", "approval", "open"] as const).map((each) => (
          <label key={each}>
            <input type="radio" name="joining" checked={joining === each} onChange={() => setJoining(each)} />
            <span>
              {t(`joining.${each}`)}
              <span className={styles["hint"]}>{t(`joiningHint.${each}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field
        label={t("signInSettings.domains")}
        hint={t("signInSettings.domainsHint")}
        mistake={wrong === undefined ? undefined : t("signInSettings.noDomain", { domain: wrong })}
      >
        {(props) => (
          <input
            {...props}
            type="text"
            dir="ltr"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={domains}
            className={fieldStyles["input"]}
            onChange={(event) => setDomains(event.currentTarget.value)}
          />
        )}
      </Field>
      <label className={styles["check"]}>
        <input
          type="checkbox"
          checked={guests && areGuestsAllowed}
          disabled={!areGuestsAllowed}
          onChange={(event) => setGuests(event.currentTarget.checked)}
        />
        <span>
          {t("signInSettings.guests")}
          <span className={styles["hint"]}>
            {t(areGuestsAllowed ? "signInSettings.guestsHint" : "signInSettings.guestsOff")}
          </span>
        </span>
      </label>
      {failure !== undefined && <p role="alert">{failure.message}</p>}
      <span>
        <Button type="submit" look="strong" disabled={isSaving}>
          {t("action.save")}
        </Button>
      </span>
    </form>
  );
}
