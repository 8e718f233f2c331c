import { useState } from "react";
import type { ResponseOf } from "#contract/api.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { limits } from "#contract/limits.ts";
import { useTestDirectory } from "#web/data/admin/sign-in-providers.ts";
import { Button } from "#web/ui/button.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printList, t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Form } from "../../form/form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm, type OnSave } from "../../form/use-form.ts";
import { directoryBodyOf, emptyDirectory, valuesOf, type DirectoryValues } from "./directory-values.ts";
import styles from "../../screen.module.css";

type FieldName = "name" | "url" | "base" | "filter" | "nameAttribute" | "emailAttribute";

const place = "{username}";
const activeDirectoryExample = "(&(objectClass=user)(sAMAccountName={username}))";

/** The form of an LDAP directory that people sign in with. */
export function DirectoryForm({
  stored,
  saveLabel,
  onSave,
  onCancel,
}: {
  stored?: SignInProvider;
  saveLabel: string;
  onSave: OnSave<DirectoryValues>;
  onCancel(): void;
}) {
  const first = stored === undefined ? emptyDirectory : valuesOf(stored);
  const form = useForm<DirectoryValues, FieldName>({ first, mistakesOf, onSave });
  const { values, change, mistakeOf, leave } = form;
  const line = (name: Exclude<keyof DirectoryValues, "startTls" | "trustsEmail" | "admitsEveryone">) => ({
    dir: "ltr" as const,
    autoCapitalize: "none",
    spellCheck: false,
    value: values[name],
    onChange: (text: string) => change({ [name]: text }),
  });
  const checked = (name: FieldName) => ({ mistake: mistakeOf(name), onBlur: leave(name) });
  return (
    <Form form={form} saveLabel={saveLabel} onCancel={onCancel}>
      <TextField
        label={t("signInProvider.name")}
        hint={t("signInProvider.nameHint")}
        maxLength={limits.providerNameCharacters}
        {...line("name")}
        {...checked("name")}
        dir="auto"
      />
      <TextField
        label={t("directory.url")}
        hint={t("directory.urlHint")}
        {...line("url")}
        {...checked("url")}
      />
      {!values.url.trim().startsWith("ldaps:") && (
        <CheckField
          label={t("directory.startTls")}
          hint={t("directory.startTlsHint")}
          checked={values.startTls}
          onChange={(startTls) => change({ startTls })}
        />
      )}
      <TextField label={t("directory.bindDn")} hint={t("directory.bindDnHint")} {...line("bindDn")} />
      <TextField
        label={t("directory.bindPassword")}
        hint={stored?.has_secret === true ? t("signInProvider.secretStored") : undefined}
        {...line("bindPassword")}
        type="password"
        autoComplete="off"
      />
      <TextField
        label={t("directory.base")}
        hint={t("directory.baseHint")}
        {...line("base")}
        {...checked("base")}
      />
      <TextField
        label={t("directory.filter")}
        hint={t("directory.filterHint", { place, example: activeDirectoryExample })}
        {...line("filter")}
        {...checked("filter")}
      />
      <TextField
        label={t("directory.nameAttribute")}
        {...line("nameAttribute")}
        {...checked("nameAttribute")}
      />
      <TextField
        label={t("directory.emailAttribute")}
        {...line("emailAttribute")}
        {...checked("emailAttribute")}
      />
      <TextField label={t("directory.idAttribute")} hint={t("directory.idHint")} {...line("idAttribute")} />
      <TextField label={t("directory.groups")} hint={t("directory.groupsHint")} {...line("groups")} />
      <TextField
        label={t("directory.groupBase")}
        hint={t("directory.groupBaseHint")}
        {...line("groupBase")}
      />
      {values.groupBase.trim() !== "" && (
        <TextField
          label={t("directory.groupFilter")}
          hint={t("directory.groupFilterHint", { place: "{dn}" })}
          {...line("groupFilter")}
        />
      )}
      <CheckField
        label={t("directory.trustsEmail")}
        hint={t("directory.trustsEmailHint")}
        checked={values.trustsEmail}
        onChange={(trustsEmail) => change({ trustsEmail })}
      />
      <CheckField
        label={t("directory.admitsEveryone")}
        hint={t("signInProvider.admitsEveryoneHint")}
        checked={values.admitsEveryone}
        onChange={(admitsEveryone) => change({ admitsEveryone })}
      />
      <Test id={stored?.id} values={values} isReady={() => form.check()} />
    </Form>
  );
}

/** Tries what is in the form, before it is saved. */
function Test({
  id,
  values,
  isReady,
}: {
  id: string | undefined;
  values: DirectoryValues;
  isReady(): boolean;
}) {
  const test = useTestDirectory();
  const [username, setUsername] = useState("");
  const [result, setResult] = useState<ResponseOf<"directories.test">>();
  const { isBusy, run } = useBusy();

  async function tryDirectory(): Promise<void> {
    setResult(undefined);
    const { issuer, client_secret: secret, directory, groups_claim } = directoryBodyOf(values);
    setResult(
      await test({
        ...(id === undefined ? {} : { sign_in_provider_id: id }),
        url: issuer,
        ...(secret === undefined ? {} : { bind_password: secret }),
        directory,
        groups_claim,
        ...(username.trim() === "" ? {} : { username: username.trim() }),
      }),
    );
  }

  return (
    <div className={styles["checks"]}>
      <TextField
        label={t("directory.testUser")}
        hint={t("directory.testUserHint")}
        isCode
        value={username}
        onChange={setUsername}
      />
      <Button disabled={isBusy} onClick={() => isReady() && run(tryDirectory)}>
        {t(isBusy ? "directory.testing" : "directory.test")}
      </Button>
      <p
        role="status"
        className={styles["testResult"]}
        data-problem={(result !== undefined && result.problem !== null) || undefined}
      >
        {result !== undefined && describe(result)}
      </p>
    </div>
  );
}

function describe({ problem, server_text: said, person }: ResponseOf<"directories.test">): string {
  if (problem !== null)
    return [
      t(`directoryProblem.${problem}`),
      ...(said === null ? [] : [t("directory.said", { text: said })]),
    ].join(" ");
  if (person === null) return t("directory.works");
  const { dn, name, email, groups } = person;
  return [
    t("directory.found", { dn }),
    t("directory.foundName", { name: name ?? "–", email: email ?? "–" }),
    groups.length === 0
      ? t("directory.foundNoGroups")
      : t("directory.foundGroups", { groups: printList(groups) }),
  ].join(" ");
}

function mistakesOf(values: DirectoryValues): Partial<Record<FieldName, string>> {
  const { name, url, base, filter, nameAttribute, emailAttribute } = values;
  const missing = (text: string) => text.trim() === "";
  return {
    ...(missing(name) ? { name: t("account.missing") } : {}),
    ...(/^ldaps?:\/\/[^/\s]+\/?$/.test(url.trim()) ? {} : { url: t("directory.noUrl") }),
    ...(missing(base) ? { base: t("account.missing") } : {}),
    ...(filter.includes(place) ? {} : { filter: t("directory.noFilter", { place }) }),
    ...(missing(nameAttribute) ? { nameAttribute: t("account.missing") } : {}),
    ...(missing(emailAttribute) ? { emailAttribute: t("account.missing") } : {}),
  };
}
