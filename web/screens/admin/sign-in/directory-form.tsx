import { useState } from "react";
import type { ResponseOf } from "#contract/api.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { formFields } from "#contract/form-fields.ts";
import { useTestDirectory } from "#web/data/admin/sign-in-providers.ts";
import { Button } from "#web/ui/button.tsx";
import { useBusy } from "#web/ui/use-busy.ts";
import { printList, t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Form } from "../../form/form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { TextField } from "../../form/text-field.tsx";
import { useForm, type OnSave } from "../../form/use-form.ts";
import { directoryBodyOf, emptyDirectory, valuesOf, type DirectoryValues } from "./directory-values.ts";
import styles from "../../screen.module.css";

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
  const form = useForm<DirectoryValues>({ first, mistakesOf, onSave });
  const { values, field, checkbox } = form;
  return (
    <Form form={form} saveLabel={saveLabel} onCancel={onCancel}>
      <TextField
        label={t("signInProvider.name")}
        hint={t("signInProvider.nameHint")}
        maxLength={rules.name.max}
        dir="auto"
        autoCapitalize="none"
        spellCheck={false}
        {...field("name")}
      />
      <TextField label={t("directory.url")} hint={t("directory.urlHint")} isCode {...field("url")} />
      {!values.url.trim().startsWith("ldaps:") && (
        <CheckField
          label={t("directory.startTls")}
          hint={t("directory.startTlsHint")}
          {...checkbox("startTls")}
        />
      )}
      <TextField label={t("directory.bindDn")} hint={t("directory.bindDnHint")} isCode {...field("bindDn")} />
      <TextField
        label={t("directory.bindPassword")}
        hint={stored?.has_secret === true ? t("signInProvider.secretStored") : undefined}
        isCode
        {...field("bindPassword")}
        type="password"
        autoComplete="off"
      />
      <TextField label={t("directory.base")} hint={t("directory.baseHint")} isCode {...field("base")} />
      <TextField
        label={t("directory.filter")}
        hint={t("directory.filterHint", { place, example: activeDirectoryExample })}
        isCode
        {...field("filter")}
      />
      <TextField label={t("directory.nameAttribute")} isCode {...field("nameAttribute")} />
      <TextField label={t("directory.emailAttribute")} isCode {...field("emailAttribute")} />
      <TextField
        label={t("directory.idAttribute")}
        hint={t("directory.idHint")}
        isCode
        {...field("idAttribute")}
      />
      <TextField label={t("directory.groups")} hint={t("directory.groupsHint")} isCode {...field("groups")} />
      <TextField
        label={t("directory.groupBase")}
        hint={t("directory.groupBaseHint")}
        isCode
        {...field("groupBase")}
      />
      {values.groupBase.trim() !== "" && (
        <TextField
          label={t("directory.groupFilter")}
          hint={t("directory.groupFilterHint", { place: "{dn}" })}
          isCode
          {...field("groupFilter")}
        />
      )}
      <CheckField
        label={t("directory.trustsEmail")}
        hint={t("directory.trustsEmailHint")}
        {...checkbox("trustsEmail")}
      />
      <CheckField
        label={t("directory.admitsEveryone")}
        hint={t("signInProvider.admitsEveryoneHint")}
        {...checkbox("admitsEveryone")}
      />
      <CheckField
        label={t("signInProvider.claimsImports")}
        hint={t("signInProvider.claimsImportsHint")}
        {...checkbox("claimsImports")}
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

const rules = formFields["signInProviders.create"];
const directoryRules = rules.directory.fields;

function mistakesOf(values: DirectoryValues): Partial<Record<keyof DirectoryValues, string>> {
  return {
    ...mistakesByRules(values, {
      name: rules.name,
      base: directoryRules.base_dn,
      nameAttribute: directoryRules.name_attribute,
      emailAttribute: directoryRules.email_attribute,
    }),
    ...(/^ldaps?:\/\/[^/\s]+\/?$/.test(values.url.trim()) ? {} : { url: t("directory.noUrl") }),
    ...(values.filter.includes(place) ? {} : { filter: t("directory.noFilter", { place }) }),
  };
}
