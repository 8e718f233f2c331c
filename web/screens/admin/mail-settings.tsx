import { type FormEvent, type HTMLInputTypeAttribute, useState } from "react";
import { isEmail } from "#contract/accounts/email.ts";
import type { MailSettings as Settings, MailTestResult } from "#contract/endpoints/mail.ts";
import { failureOf, type Failure } from "#web/data/failure.ts";
import { useMailSettings } from "#web/data/people/mail.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showFailure, showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { Field, fieldStyles } from "../form/field.tsx";
import { useAskBeforeLeaving } from "../form/use-ask-before-leaving.tsx";
import { ListContent } from "../list-content.tsx";
import styles from "./admin.module.css";

const securities = ["tls", "starttls", "none"] as const;
const usualPorts = { tls: "465", starttls: "587", none: "25" } as const;

const mistakeTexts = {
  host: "account.missing",
  port: "mail.wrongPort",
  password: "account.missing",
  sender: "account.noEmail",
} as const;

type Mail = ReturnType<typeof useMailSettings>;

/** The mail server, for owners. */
export function MailSettings() {
  const mail = useMailSettings();
  const [removals, setRemovals] = useState(0);
  return (
    <section aria-labelledby="mail-settings">
      <h2 id="mail-settings" className={styles["heading"]}>
        {t("mail.title")}
      </h2>
      <p className={styles["about"]}>{t("mail.about")}</p>
      <ListContent
        list={mail}
        isEmpty={false}
        loadingLabel={t("mail.loading")}
        failedTitle={t("mail.failed")}
      >
        {mail.stored !== undefined && (
          <MailForm
            key={removals}
            stored={mail.stored.settings}
            mail={mail}
            onRemoved={() => setRemovals(removals + 1)}
          />
        )}
      </ListContent>
    </section>
  );
}

function MailForm({ stored, mail, onRemoved }: { stored: Settings | null; mail: Mail; onRemoved(): void }) {
  const first = valuesOf(stored);
  const [values, setValues] = useState(first);
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const { confirm, dialog } = useConfirmation();
  const change = (more: Partial<typeof values>) => setValues((now) => ({ ...now, ...more }));
  const question = useAskBeforeLeaving(() => JSON.stringify(values) !== JSON.stringify(first));

  const port = Number(values.port);
  const username = values.username.trim() === "" ? null : values.username.trim();
  const isSameServer =
    stored?.has_password === true &&
    stored.host === values.host.trim() &&
    stored.port === port &&
    stored.username === username;
  const isPasswordMissing = username !== null && values.password === "" && !isSameServer;
  const mistakes = {
    host: values.host.trim() === "",
    port: !Number.isInteger(port) || port < 1 || port > 65_535,
    password: isPasswordMissing,
    sender: !isEmail(values.sender),
  };

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setChecked(true);
    if (isBusy || Object.values(mistakes).includes(true)) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const settings = {
        host: values.host.trim(),
        port,
        security: values.security,
        username,
        sender: values.sender.trim(),
      };
      const password = username === null || values.password === "" ? {} : { password: values.password };
      await mail.save({ ...settings, ...password });
      setValues(valuesOf(settings));
      showToast(t("account.saved"));
    } catch (error) {
      setFailure(failureOf(error));
    } finally {
      setBusy(false);
    }
  }

  const field = (
    name: "host" | "port" | "username" | "password" | "sender",
    type: HTMLInputTypeAttribute,
    hint?: string,
  ) => (
    <Field
      label={t(`mail.${name}`)}
      hint={hint}
      mistake={isChecked && name !== "username" && mistakes[name] ? t(mistakeTexts[name]) : undefined}
    >
      {(props) => (
        <input
          {...props}
          type={type}
          dir="ltr"
          name={`mail-${name}`}
          autoComplete={type === "password" ? "new-password" : "off"}
          autoCapitalize="none"
          spellCheck={false}
          inputMode={name === "port" ? "numeric" : undefined}
          value={values[name]}
          className={fieldStyles["input"]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      )}
    </Field>
  );

  return (
    <form noValidate className={styles["form"]} onSubmit={(event) => void save(event)}>
      {field("host", "text")}
      <Field label={t("mail.security")}>
        {(props) => (
          <select
            {...props}
            value={values.security}
            className={fieldStyles["input"]}
            onChange={(event) => {
              const security = event.currentTarget.value as Settings["security"];
              const isUsual = values.port === usualPorts[values.security];
              change({ security, ...(isUsual ? { port: usualPorts[security] } : {}) });
            }}
          >
            {securities.map((security) => (
              <option key={security} value={security}>
                {t(`mailSecurity.${security}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {field("port", "text")}
      {field("username", "text", t("mail.usernameHint"))}
      {values.username !== "" &&
        field("password", "password", t(isSameServer ? "mail.passwordStored" : "mail.passwordHint"))}
      {field("sender", "email")}
      {failure !== undefined && <p role="alert">{failure.message}</p>}
      <div className={styles["formButtons"]}>
        <Button type="submit" look="strong" disabled={isBusy}>
          {t("action.save")}
        </Button>
        {stored !== null && (
          <Button
            onClick={() =>
              confirm({
                text: t("mail.removeAsk"),
                label: t("mail.remove"),
                run: async () => {
                  await mail.remove();
                  onRemoved();
                  return t("mail.removed");
                },
              })
            }
          >
            {t("mail.remove")}
          </Button>
        )}
      </div>
      {stored !== null && <TestMessage test={mail.test} />}
      {dialog}
      {question}
    </form>
  );
}

function valuesOf(stored: Omit<Settings, "has_password"> | null) {
  return {
    host: stored?.host ?? "",
    port: String(stored?.port ?? usualPorts.tls),
    security: stored?.security ?? "tls",
    username: stored?.username ?? "",
    password: "",
    sender: stored?.sender ?? "",
  };
}

/** Sends a message to the owner with the stored settings, and says what is wrong. */
function TestMessage({ test }: { test: Mail["test"] }) {
  const [result, setResult] = useState<MailTestResult>();
  const [isRunning, setRunning] = useState(false);

  async function run(): Promise<void> {
    setRunning(true);
    setResult(undefined);
    await test().then(setResult, showFailure);
    setRunning(false);
  }

  return (
    <div>
      <Button disabled={isRunning} onClick={() => void run()}>
        {t(isRunning ? "mail.testing" : "mail.test")}
      </Button>
      <div role="status" className={styles["testResult"]} data-problem={result?.problem != null || undefined}>
        {result?.problem === null && <p>{t("mail.sent", { address: result.to })}</p>}
        {result !== undefined && result.problem !== null && (
          <>
            <p>{t(`mailProblem.${result.problem}`)}</p>
            {result.server_text !== null && <p>{t("mail.said", { text: result.server_text })}</p>}
          </>
        )}
      </div>
    </div>
  );
}
