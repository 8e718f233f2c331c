import { type FormEvent, useState } from "react";
import { Link } from "@tanstack/react-router";
import ChevronRight from "lucide-react/icons/chevron-right";
import Plus from "lucide-react/icons/plus";
import type { Joining } from "#contract/endpoints/accounts.ts";
import type { SecondFactorRule, SignInSettings } from "#contract/endpoints/people.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { useSignInSettings } from "#web/data/admin/people.ts";
import { useSignInProviders } from "#web/data/admin/sign-in-providers.ts";
import { useSession } from "#web/data/session/session.ts";
import { Button } from "#web/ui/button.tsx";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { Icon } from "#web/ui/icon.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../form/check-field.tsx";
import { Field, fieldStyles } from "../form/field.tsx";
import { ListContent } from "../list-content.tsx";
import { Page } from "../page.tsx";
import { domainsIn, wrongDomainIn } from "./domains.ts";
import { MailSettings } from "./mail-settings.tsx";
import styles from "../screen.module.css";

const secondFactorRules = ["optional", "admins", "everyone"] as const;
const joinings = ["invitation", "approval", "open"] as const;

/** `/admin/sign-in`: who may use the server, and who can get an account. */
export function SignInPage() {
  const settings = useSignInSettings();
  const isOwner = useSession().me?.role === "owner";
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
      <Providers />
      {isOwner && <MailSettings />}
    </Page>
  );
}

/** The providers that people sign in with. */
function Providers() {
  const list = useSignInProviders();
  return (
    <section aria-labelledby="sign-in-providers">
      <h2 id="sign-in-providers" className={styles["heading"]}>
        {t("signInProviders.title")}
      </h2>
      <p className={styles["about"]}>{t("signInProviders.about")}</p>
      <ListContent
        list={list}
        isEmpty={list.providers.length === 0}
        loadingLabel={t("signInProviders.loading")}
        failedTitle={t("signInProviders.failed")}
        empty={[]}
      >
        <ul className={styles["list"]}>
          {list.providers.map(({ id, name, issuer, people, is_usable: isUsable }) => (
            <li key={id} className={styles["row"]}>
              <Link to="/admin/sign-in/$providerId" params={{ providerId: id }} className={styles["words"]}>
                <bdi className={styles["name"]}>{name}</bdi>
                {!isUsable && (
                  <span className={styles["mark"]} data-tone="loss">
                    {t("signInProviders.secretLost")}
                  </span>
                )}
                <span className={styles["facts"]}>
                  <span dir="ltr">{new URL(issuer).host}</span>
                  <span>{t("signInProviders.people", { count: people })}</span>
                </span>
              </Link>
              <Icon of={ChevronRight} size={16} />
            </li>
          ))}
        </ul>
      </ListContent>
      <div className={styles["adds"]}>
        <Link to="/admin/sign-in/$providerId" params={{ providerId: "new" }} className={styles["add"]}>
          <Icon of={Plus} size={16} />
          {t("signInProvider.new")}
        </Link>
        <Link
          to="/admin/sign-in/$providerId"
          params={{ providerId: "new-directory" }}
          className={styles["add"]}
        >
          <Icon of={Plus} size={16} />
          {t("directory.new")}
        </Link>
      </div>
    </section>
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
  const [secondFactor, setSecondFactor] = useState(stored.second_factor ?? "optional");
  const isOwner = useSession().me?.role === "owner";
  const [failure, setFailure] = useState<Failure>();
  const [isSaving, setSaving] = useState(false);
  const list = domainsIn(domains);
  const wrong = wrongDomainIn(domains);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSaving || wrong !== undefined) return;
    setSaving(true);
    setFailure(undefined);
    try {
      const more = isOwner ? { second_factor: secondFactor } : {};
      await onSave({ joining, guests, email_domains: list, ...more });
      showToast(t("account.saved"));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setSaving(false);
    }
  }

  return (
    <form className={styles["form"]} onSubmit={(event) => void save(event)}>
      <RadioGroup<Joining>
        legend={t("signInSettings.joining")}
        value={joining}
        onChange={setJoining}
        options={joinings.map((value) => ({
          value,
          label: t(`joining.${value}`),
          hint: t(`joiningHint.${value}`),
        }))}
      />
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
      <CheckField
        label={t("signInSettings.guests")}
        hint={t(areGuestsAllowed ? "signInSettings.guestsHint" : "signInSettings.guestsOff")}
        checked={guests && areGuestsAllowed}
        disabled={!areGuestsAllowed}
        onChange={setGuests}
      />
      {isOwner && (
        <RadioGroup<SecondFactorRule>
          legend={t("signInSettings.secondFactor")}
          value={secondFactor}
          onChange={setSecondFactor}
          options={secondFactorRules.map((value) => ({
            value,
            label: t(`secondFactorRule.${value}`),
            ...(value === "optional" ? {} : { hint: t(`secondFactorHint.${value}`) }),
          }))}
        />
      )}
      {failure !== undefined && <p role="alert">{failure.message}</p>}
      <span>
        <Button type="submit" look="strong" disabled={isSaving}>
          {t("action.save")}
        </Button>
      </span>
    </form>
  );
}
