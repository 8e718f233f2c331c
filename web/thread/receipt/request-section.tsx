import type { ReactNode } from "react";
import type { ReceiptItem, ReceiptRequest } from "#contract/endpoints/receipts.ts";
import {
  errorSentence,
  printBytes,
  printDollars,
  printDuration,
  printNumber,
  t,
} from "#web/i18n/translate.ts";
import { ItemList } from "./item-list.tsx";
import styles from "./receipt.module.css";

/** One request: a line that opens into its figures and what it contained. */
export function RequestSection({ request, isOpen }: { request: ReceiptRequest; isOpen: boolean }) {
  const { host, is_local: isLocal, model, outcome, error_code: code } = request;
  return (
    <details open={isOpen} className={styles["request"]}>
      <summary className={styles["summary"]}>
        <span className={styles["name"]}>{nameOf(request)}</span>
        <span className="anywhere text-2 ink-soft">
          {host === null ? (
            t("receipt.hidden")
          ) : (
            <>
              <bdi dir="ltr">{host}</bdi> · {t(isLocal === true ? "receipt.local" : "receipt.elsewhere")}
            </>
          )}
        </span>
        {outcome !== "completed" && (
          <span className={styles["trouble"]}>
            {outcome === "failed" ? (errorSentence(code ?? "") ?? code) : t("receipt.cancelled")}
          </span>
        )}
      </summary>
      <dl className={styles["figures"]}>
        <Figure name={t("receipt.model")}>
          {model === null ? t("receipt.hidden") : <bdi dir="ltr">{model}</bdi>}
        </Figure>
        <Figure name={t("receipt.sent")}>
          {request.body_bytes === null ? undefined : printBytes(request.body_bytes)}
        </Figure>
        <Figure name={t("usage.input")}>{inputOf(request)}</Figure>
        <Figure name={t("usage.output")}>{outputOf(request)}</Figure>
        <Figure name={t("usage.cost")}>
          {request.cost_usd === null ? undefined : about(request, printDollars(request.cost_usd))}
        </Figure>
        <Figure name={t("receipt.firstToken")}>{firstTokenOf(request)}</Figure>
        <Figure name={t("receipt.speed")}>{speedOf(request)}</Figure>
        {request.body_sha256 !== null && (
          <Figure name="SHA-256" isWide>
            <code dir="ltr" className="anywhere text-1">
              {request.body_sha256}
            </code>
          </Figure>
        )}
      </dl>
      {request.is_estimated && <p className={styles["about"]}>{t("receipt.estimated")}</p>}
      <Items items={request.items} />
    </details>
  );
}

function Items({ items }: { items: readonly ReceiptItem[] }) {
  if (items.length === 0) return <p className={styles["about"]}>{t("receipt.noItems")}</p>;
  return <ItemList items={items} />;
}

function Figure({ name, isWide = false, children }: { name: string; isWide?: boolean; children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <div data-wide={isWide || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function nameOf({ purpose, step, attempt }: ReceiptRequest): string {
  if (purpose !== "answer") return t(`receiptPurpose.${purpose}`);
  const name = t("receipt.step", { number: step });
  return attempt === 1 ? name : t("receipt.attempt", { name, number: attempt });
}

function about({ is_estimated: isEstimated }: ReceiptRequest, number: string): string {
  return isEstimated ? t("usage.about", { number }) : number;
}

function inputOf(request: ReceiptRequest): string | undefined {
  const { input_tokens: input, cached_tokens: cached } = request;
  if (input === null) return undefined;
  if (cached === null || cached === 0) return about(request, printNumber(input));
  return t("receipt.andOf", { count: input, part: t("usage.cached", { count: cached }) });
}

function outputOf(request: ReceiptRequest): string | undefined {
  const { output_tokens: output, reasoning_tokens: reasoning } = request;
  if (output === null) return undefined;
  if (reasoning === null || reasoning === 0) return about(request, printNumber(output));
  return t("receipt.andOf", { count: output, part: t("receipt.reasoning", { count: reasoning }) });
}

function firstTokenOf({ sent_at: sentAt, first_token_at: firstAt }: ReceiptRequest): string | undefined {
  return firstAt === null ? undefined : printDuration(Date.parse(firstAt) - Date.parse(sentAt));
}

function speedOf(request: ReceiptRequest) {
  const { output_tokens: output, first_token_at: firstAt, ended_at: endedAt } = request;
  if (output === null || firstAt === null || endedAt === null) return undefined;
  const seconds = (Date.parse(endedAt) - Date.parse(firstAt)) / 1000;
  // A few tokens in a few milliseconds say nothing about the speed.
  if (seconds < 0.1) return undefined;
  return about(request, t("receipt.perSecond", { count: Math.round(output / seconds) }));
}
