import { failureOfCode } from "#web/data/failure.ts";
import { t } from "#web/i18n/translate.ts";

/** What is wrong with a provider. Elsewhere, the sentences of these codes name an administrator or these screens. */
export function problemText(code: string): string {
  switch (code) {
    case "provider-refused-key":
      return t("provider.refusedKey");
    case "provider-no-credit":
      return t("provider.noCredit");
    case "provider-not-a-model":
      return t("provider.notAModel");
    case "provider-unreachable":
      return t("provider.unreachable");
    default:
      return failureOfCode(code).message;
  }
}
