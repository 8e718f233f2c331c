import { signInProviderId } from "#contract/accounts/sign-in-provider-id.ts";
import type { SignInProvider } from "#contract/endpoints/sign-in-providers.ts";
import { formFields } from "#contract/form-fields.ts";
import { appUrl } from "#web/lib/base-path.ts";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { Button } from "#web/ui/button.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Field, fieldStyles } from "../../form/field.tsx";
import { SelectField } from "../../form/select-field.tsx";
import { Form } from "../../form/form.tsx";
import { mistakesByRules } from "../../form/mistakes-by-rules.ts";
import { TextField } from "../../form/text-field.tsx";
import { type OnSave, useForm } from "../../form/use-form.ts";
import { domainsIn, wrongDomainIn } from "./domains.ts";
import { providerPresets, type ProviderPresetName } from "./provider-presets.ts";
import styles from "./sign-in-provider-form.module.css";

export type ProviderValues = {
  preset: ProviderPresetName;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  domains: string;
  trustsEmail: boolean;
  admitsEveryone: boolean;
  claimsImports: boolean;
  groupsClaim: string;
};

const presetNames = Object.keys(providerPresets) as ProviderPresetName[];

/** The form of a provider that people sign in with. */
export function SignInProviderForm({
  stored,
  others,
  first,
  saveLabel,
  onSave,
  onCancel,
}: {
  stored?: SignInProvider;
  others: readonly { id: string }[];
  first: ProviderValues;
  saveLabel: string;
  onSave: OnSave<ProviderValues>;
  onCancel(): void;
}) {
  const form = useForm<ProviderValues>({ first, mistakesOf, onSave });
  const { values, change, field, checkbox } = form;
  const preset = providerPresets[values.preset];
  const id = signInProviderId(values.name, others);
  const redirectUri = stored?.redirect_uri ?? appUrl(`/sign-in/callback/${id}`);
  return (
    <Form form={form} saveLabel={saveLabel} onCancel={onCancel}>
      {stored === undefined && (
        <SelectField
          label={t("signInProvider.service")}
          value={values.preset}
          options={presetNames.map((preset) => [
            preset,
            preset === "oidc" ? t("signInProvider.other") : providerPresets[preset].name,
          ])}
          onChange={(next) => {
            const { name, ...known } = providerPresets[next];
            change({ preset: next, name, issuer: "issuer" in known ? known.issuer : "" });
          }}
        />
      )}
      <TextField
        label={t("signInProvider.name")}
        hint={t("signInProvider.nameHint")}
        dir="auto"
        maxLength={rules.name.max}
        {...field("name")}
      />
      <RedirectUri uri={redirectUri} />
      <TextField
        label={t("signInProvider.issuer")}
        hint={preset.example === "" ? undefined : t("signInProvider.issuerHint", { example: preset.example })}
        isCode
        inputMode="url"
        {...field("issuer")}
      />
      <TextField label={t("signInProvider.clientId")} isCode {...field("clientId")} />
      <TextField
        label={t("signInProvider.secret")}
        hint={t(stored?.has_secret === true ? "signInProvider.secretStored" : "signInProvider.secretHint")}
        isCode
        type="password"
        autoComplete="off"
        {...field("clientSecret")}
      />
      <TextField
        label={t("signInProvider.domains")}
        hint={t("signInProvider.domainsHint")}
        isCode
        {...field("domains")}
      />
      <CheckField
        label={t("signInProvider.admitsEveryone")}
        hint={t("signInProvider.admitsEveryoneHint")}
        {...checkbox("admitsEveryone")}
      />
      <CheckField
        label={t("signInProvider.claimsImports")}
        hint={t("signInProvider.claimsImportsHint")}
        {...checkbox("claimsImports")}
      />
      <CheckField
        label={t("signInProvider.trustsEmail")}
        hint={t("signInProvider.trustsEmailHint")}
        {...checkbox("trustsEmail")}
      />
      {values.preset !== "github" && (
        <TextField
          label={t("signInProvider.groupsClaim")}
          hint={t("signInProvider.groupsClaimHint")}
          isCode
          {...field("groupsClaim")}
        />
      )}
    </Form>
  );
}

/** The address to enter at the provider, which is needed before the client ID is known. */
function RedirectUri({ uri }: { uri: string }) {
  const { isCopied, copy } = useCopied();
  return (
    <Field label={t("signInProvider.redirectUri")} hint={t("signInProvider.redirectUriHint")}>
      {(props) => (
        <span className={styles["copyable"]}>
          <input
            {...props}
            readOnly
            dir="ltr"
            value={uri}
            className={fieldStyles["input"]}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button onClick={() => copy(uri)}>{t(isCopied ? "action.copied" : "action.copy")}</Button>
        </span>
      )}
    </Field>
  );
}

const rules = formFields["signInProviders.create"];

function mistakesOf(values: ProviderValues): Partial<Record<keyof ProviderValues, string>> {
  const wrong = wrongDomainIn(values.domains);
  return {
    ...mistakesByRules(values, { name: rules.name }),
    ...(URL.canParse(values.issuer.trim()) ? {} : { issuer: t("signInProvider.noIssuer") }),
    ...(values.clientId.trim() === "" ? { clientId: t("account.missing") } : {}),
    ...(wrong === undefined ? {} : { domains: t("signInSettings.noDomain", { domain: wrong }) }),
  };
}

export function signInProviderBodyOf(values: ProviderValues) {
  return {
    name: values.name.trim(),
    issuer: values.issuer.trim(),
    client_id: values.clientId.trim(),
    ...(values.clientSecret.trim() === "" ? {} : { client_secret: values.clientSecret.trim() }),
    email_domains: domainsIn(values.domains),
    trusts_email: values.trustsEmail,
    admits_everyone: values.admitsEveryone,
    claims_imports: values.claimsImports,
    groups_claim: values.groupsClaim.trim() === "" ? null : values.groupsClaim.trim(),
  };
}
