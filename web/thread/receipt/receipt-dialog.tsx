import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import X from "lucide-react/icons/x";
import type { Receipt } from "#contract/endpoints/receipts.ts";
import { useReceipt } from "#web/data/usage/receipt.ts";
import { Button, IconButton } from "#web/ui/button.tsx";
import { Dialog } from "#web/ui/dialog.tsx";
import { Notice } from "#web/ui/notice.tsx";
import { ScrollBox } from "#web/ui/scroll-box.tsx";
import { Skeleton, SkeletonLine } from "#web/ui/skeleton.tsx";
import { useCopied } from "#web/ui/copy/use-copied.ts";
import { t } from "#web/i18n/translate.ts";
import { CallSection } from "./call-section.tsx";
import { RequestSection } from "./request-section.tsx";
import styles from "./receipt.module.css";

/** What left this server for an answer, to which host, and what it cost. */
export function ReceiptDialog({ runId, onClose }: { runId: string; onClose(): void }) {
  const { receipt, state, failure, retry } = useReceipt(runId);
  return (
    <Dialog label={t("receipt.title")} className={styles["dialog"]} onClose={onClose}>
      <header className={styles["bar"]}>
        <h2 className={styles["title"]}>{t("receipt.title")}</h2>
        {receipt !== undefined && receipt.requests.length + receipt.calls.length > 0 && (
          <CopyJson receipt={receipt} />
        )}
        <IconButton icon={X} label={t("action.close")} onClick={onClose} />
      </header>
      <ScrollBox label={t("receipt.title")} className={styles["content"]}>
        {state === "loading" && (
          <Skeleton label={t("receipt.loading")}>
            {[70, 50, 62].map((width) => (
              <SkeletonLine key={width} width={width} />
            ))}
          </Skeleton>
        )}
        {state === "failed" && (
          <Notice
            tone="danger"
            title={t("receipt.failed")}
            text={failure?.message}
            action={{ label: t("action.retry"), run: retry }}
          />
        )}
        {receipt !== undefined && <Requests receipt={receipt} />}
      </ScrollBox>
    </Dialog>
  );
}

function Requests({ receipt: { requests, calls } }: { receipt: Receipt }) {
  if (requests.length === 0 && calls.length === 0)
    return <p className={styles["about"]}>{t("receipt.none")}</p>;
  const shown = requests.findLast(({ purpose }) => purpose === "answer");
  const remote = requests.filter(({ is_local: isLocal }) => isLocal === false).map(({ host }) => host);
  const hosts = [...new Set([...remote, ...calls.map(({ sent_to: place }) => place)])].filter(
    (host) => host !== null,
  );
  const isHidden = requests.some(({ host }) => host === null);
  return (
    <>
      <p className={styles["about"]}>
        {isHidden
          ? t("receipt.blind")
          : hosts.length === 0
            ? t("receipt.allLocal")
            : t("receipt.remote", { hosts: hosts.join(", ") })}{" "}
        {t("receipt.about")}
      </p>
      {calls.length > 0 && <h3 className={styles["heading"]}>{t("receipt.calls")}</h3>}
      {calls.map((call) => (
        <CallSection key={`${call.sent_at} ${call.tool_call_id}`} call={call} />
      ))}
      {calls.length > 0 && requests.length > 0 && (
        <h3 className={styles["heading"]}>{t("receipt.requests")}</h3>
      )}
      {requests.map((request) => (
        <RequestSection key={request.id} request={request} isOpen={request === shown} />
      ))}
    </>
  );
}

function CopyJson({ receipt }: { receipt: Receipt }) {
  const { isCopied, copy } = useCopied();
  return (
    <Button
      look="plain"
      icon={isCopied ? Check : Copy}
      onClick={() => copy(JSON.stringify(receipt, undefined, 2))}
    >
      {isCopied ? t("action.copied") : t("receipt.copyJson")}
    </Button>
  );
}
