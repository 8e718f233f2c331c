import type { Joining } from "#contract/endpoints/accounts.ts";
import type { SecondFactorRule, SignInSettings } from "#contract/endpoints/people.ts";
import { useSession } from "#web/data/session/session.ts";
import { RadioGroup } from "#web/ui/radio-group.tsx";
import { showToast } from "#web/ui/toast.tsx";
import { t } from "#web/i18n/translate.ts";
import { CheckField } from "../../form/check-field.tsx";
import { Form } from "../../form/form.tsx";
import { TextField } from "../../form/text-field.tsx";
import { useForm } from "../../form/use-form.ts";
import { domainsIn, wrongDomainIn } from "./domains.ts";

const secondFactorRules = ["optional", "admins", "everyone"] as const;
const joinings = ["invitation", "approval", "open"] as const;

/** How people get an account, and what is required of them. */
export function JoiningForm({
  stored,
  areGuestsAllowed,
  onSave,
}: {
  stored: SignInSettings;
  areGuestsAllowed: boolean;
  onSave: (settings: SignInSettings) => Promise<unknown>;
}) {
  const isOwner = useSession().me?.role === "owner";
  const form = useForm({
    first: {
      joining: stored.joining,
      guests: stored.guests,
      domains: stored.email_domains.join(", "),
      secondFactor: stored.second_factor ?? "optional",
    },
    mistakesOf({ domains }): { domains?: string } {
      const wrong = wrongDomainIn(domains);
      return wrong === undefined ? {} : { domains: t("signInSettings.noDomain", { domain: wrong }) };
    },
    async onSave({ joining, guests, domains, secondFactor }) {
      const more = isOwner ? { second_factor: secondFactor } : {};
      await onSave({ joining, guests, email_domains: domainsIn(domains), ...more });
      showToast(t("account.saved"));
      return undefined;
    },
  });
  const { values, field, change } = form;

  return (
    <Form form={form} saveLabel={t("action.save")}>
      <RadioGroup<Joining>
        legend={t("signInSettings.joining")}
        value={values.joining}
        onChange={(joining) => change({ joining })}
        options={joinings.map((value) => ({
          value,
          label: t(`joining.${value}`),
          hint: t(`joiningHint.${value}`),
        }))}
      />
      <TextField
        label={t("signInSettings.domains")}
        hint={t("signInSettings.domainsHint")}
        isCode
        {...field("domains")}
      />
      <CheckField
        label={t("signInSettings.guests")}
        hint={t(areGuestsAllowed ? "signInSettings.guestsHint" : "signInSettings.guestsOff")}
        checked={values.guests && areGuestsAllowed}
        disabled={!areGuestsAllowed}
        onChange={(guests) => change({ guests })}
      />
      {isOwner && (
        <RadioGroup<SecondFactorRule>
          legend={t("signInSettings.secondFactor")}
          value={values.secondFactor}
          onChange={(secondFactor) => change({ secondFactor })}
          options={secondFactorRules.map((value) => ({
            value,
            label: t(`secondFactorRule.${value}`),
            ...(value === "optional" ? {} : { hint: t(`secondFactorHint.${value}`) }),
          }))}
        />
      )}
    </Form>
  );
}
