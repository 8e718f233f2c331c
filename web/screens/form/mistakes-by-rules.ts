import { isEmail } from "#contract/accounts/email.ts";
import type { FieldRules } from "#contract/form-fields.ts";
import { printNumber, t } from "#web/i18n/translate.ts";
import { numberOf } from "./numbers.ts";

/** What an endpoint says about a field. `missing`: the message for an empty one. */
type Rules = Pick<FieldRules, "kind" | "required" | "min" | "max" | "isWhole" | "format"> & {
  missing?: string;
};

/** A message for each field that the endpoint would refuse. Numbers are typed as text; an empty one is none. */
export function mistakesByRules<Name extends string>(
  values: NoInfer<Record<Name, string>>,
  rules: { [Field in Name]?: Rules },
): Partial<Record<Name, string>> {
  const fields = Object.entries<Rules | undefined>(rules) as [Name, Rules][];
  return Object.fromEntries(
    fields.flatMap(([name, rule]) => {
      const mistake = mistakeIn(values[name], rule);
      return mistake === undefined ? [] : [[name, mistake]];
    }),
  ) as Partial<Record<Name, string>>;
}

function mistakeIn(text: string, rules: Rules): string | undefined {
  if (text.trim() === "") return rules.required ? (rules.missing ?? t("account.missing")) : undefined;
  const { min = 0, max = Infinity } = rules;
  if (rules.kind !== "number") {
    if (text.length < min) return t("account.shortPassword", { min });
    if (text.length > max) return t("assistant.tooLong", { count: text.length, max });
    return rules.format === "email" && !isEmail(text) ? t("account.noEmail") : undefined;
  }
  const number = numberOf(text);
  const isRight = number !== undefined && number >= min && number <= max;
  if (rules.isWhole)
    return isRight && Number.isInteger(number)
      ? undefined
      : t("assistant.noWholeNumber", { max: printNumber(max) });
  return isRight ? undefined : t("assistant.outside", { min, max });
}
