import { useState } from "react";
import { isEmail } from "#contract/accounts/email.ts";
import type { MailSettings as Settings, MailTestResult } from "#contract/endpoints/mail.ts";
import { useMailSettings } from "#web/data/admin/mail.ts";
import { Button } from "#web/ui/button.tsx";
import { useConfirmation } from "#web/ui/confirm.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { t } from "#web/i18n/translate.ts";
import { Form } from "../../form/form.tsx";
import { SelectField } from "../../form/select-field.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { ListContent } from "../../list-content.tsx";
import styles from "../../screen.module.css";

const securities = ["tls", "starttls", "none"] as const;
const usualPorts = { tls: "465", starttls: "587", none: "25" } as const;

type Mail = ReturnType<typeof useMailSettings>;
type Values = ReturnType<typeof valuesOf>;
type FieldName = Exclude<keyof Values, "security">;

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
  const form = useForm<Values, FieldName>({
    first: valuesOf(stored),
    mistakesOf: (values) => mistakesOf(values, stored),
    async onSave(values) {
      const settings = settingsOf(values);
      const { password } = values;
      await mail.save({
        ...settings,
        ...(settings.username === null || password === "" ? {} : { password }),
      });
      form.change(valuesOf(settings));
      showToast(t("account.saved"));
      return undefined;
    },
  });
  const { values, change } = form;
  const { confirm, dialog } = useConfirmation();

  const field = (name: FieldName, hint?: string) => (
    <TextField
      label={t(`mail.${name}`)}
      hint={hint}
      isCode
      type={name === "password" ? "password" : name === "sender" ? "email" : "text"}
      name={`mail-${name}`}
      autoComplete={name === "password" ? "new-password" : "off"}
      inputMode={name === "port" ? "numeric" : undefined}
      {...form.field(name)}
    />
  );

  const remove = () =>
    confirm({
      text: t("mail.removeAsk"),
      label: t("mail.remove"),
      run: async () => {
        await mail.remove();
        onRemoved();
        return t("mail.removed");
      },
    });
  return (
    <>
      <Form
        form={form}
        saveLabel={t("action.save")}
        otherButton={stored !== null && <Button onClick={remove}>{t("mail.remove")}</Button>}
      >
        {field("host")}
        <SelectField
          label={t("mail.security")}
          value={values.security}
          options={securities.map((security) => [security, t(`mailSecurity.${security}`)])}
          onChange={(security) => {
            const isUsual = values.port === usualPorts[values.security];
            change({ security, ...(isUsual ? { port: usualPorts[security] } : {}) });
          }}
        />
        {field("port")}
        {field("username", t("mail.usernameHint"))}
        {values.username !== "" &&
          field(
            "password",
            t(hasStoredPassword(values, stored) ? "mail.passwordStored" : "mail.passwordHint"),
          )}
        {field("sender")}
      </Form>
      {stored !== null && <TestMessage test={mail.test} />}
      {dialog}
    </>
  );
}

function settingsOf({ host, port, security, username, sender }: Values) {
  return {
    host: host.trim(),
    port: Number(port),
    security,
    username: username.trim() === "" ? null : username.trim(),
    sender: sender.trim(),
  };
}

/** Whether the server has the password for this mail server and name. */
function hasStoredPassword(values: Values, stored: Settings | null): boolean {
  const { host, port, username } = settingsOf(values);
  return (
    stored?.has_password === true &&
    stored.host === host &&
    stored.port === port &&
    stored.username === username
  );
}

function mistakesOf(values: Values, stored: Settings | null): Partial<Record<FieldName, string>> {
  const { host, port, username, sender } = settingsOf(values);
  const isPasswordMissing = username !== null && values.password === "" && !hasStoredPassword(values, stored);
  return {
    ...(host === "" && { host: t("account.missing") }),
    ...((!Number.isInteger(port) || port < 1 || port > 65_535) && { port: t("mail.wrongPort") }),
    ...(isPasswordMissing && { password: t("account.missing") }),
    ...(!isEmail(sender) && { sender: t("account.noEmail") }),
  };
}

function valuesOf(stored: Omit<Settings, "has_password"> | null) {
  const security: Settings["security"] = stored?.security ?? "tls";
  return {
    security,
    host: stored?.host ?? "",
    port: String(stored?.port ?? usualPorts.tls),
    username: stored?.username ?? "",
    password: "",
    sender: stored?.sender ?? "",
  };
}

/** Sends a message to the owner with the stored settings, and says what is wrong. */
function TestMessage({ test }: { test: Mail["test"] }) {
  const [result, setResult] = useState<MailTestResult>();
  const { isBusy, run } = useBusy();

  async function send(): Promise<void> {
    setResult(undefined);
    setResult(await test());
  }

  return (
    <div>
      <Button disabled={isBusy} onClick={() => run(send)}>
        {t(isBusy ? "mail.testing" : "mail.test")}
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
