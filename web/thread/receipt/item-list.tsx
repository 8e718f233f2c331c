import type { ReceiptItem } from "#contract/endpoints/receipts.ts";
import { printBytes, printNumber, t } from "#web/i18n/translate.ts";
import styles from "./receipt.module.css";

/** What a request contained and left out. */
export function ItemList({ items }: { items: readonly ReceiptItem[] }) {
  return (
    <table className={styles["items"]}>
      <caption className="visually-hidden">{t("receipt.items")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("receipt.piece")}</th>
          <th scope="col">{t("receipt.tokens")}</th>
          <th scope="col">{t("receipt.size")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, at) => (
          <tr key={at} data-out={item.left_out !== null || undefined}>
            <th scope="row">
              <span>{nameOf(item)}</span>
              {item.left_out !== null && (
                <small className={styles["mark"]}>{t(`receiptOut.${item.left_out}`)}</small>
              )}
              {item.source !== "same" && (
                <small className={styles["mark"]}>{t(`receiptSource.${item.source}`)}</small>
              )}
            </th>
            <td>{item.tokens === null ? "–" : t("usage.about", { number: printNumber(item.tokens) })}</td>
            <td>{printBytes(item.bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf({
  kind,
  role,
  file_name: fileName,
  page,
  tool_name: tool,
  message_id: messageId,
}: ReceiptItem): string {
  switch (kind) {
    case "file":
      if (fileName === null) return t("receipt.kind.file");
      return page === null
        ? t("receipt.kind.fileNamed", { name: fileName })
        : t("receipt.kind.page", { name: fileName, number: page });
    case "tool":
      return t("receipt.kind.tool", { name: tool ?? "" });
    case "tool-call":
      return t("receipt.kind.toolCall", { name: tool ?? "" });
    case "tool-result":
      return t("receipt.kind.toolResult", { name: tool ?? "" });
    case "instructions":
      return t("receipt.kind.instructions");
    case "reasoning":
      return t("receipt.kind.reasoning");
    case "message":
      if (role === "assistant") return t("receipt.kind.answer");
      if (role === "system") return t("receipt.kind.instructions");
      return t(messageId === null ? "receipt.kind.text" : "receipt.kind.question");
  }
}
