import { useContext } from "react";
import { useNavigate } from "@tanstack/react-router";
import { useAuiState } from "@assistant-ui/react";
import PanelRight from "lucide-react/icons/panel-right";
import { fileIdOf } from "#web/data/files/own-file.ts";
import { t } from "#web/i18n/translate.ts";
import { IconButton } from "../button.tsx";
import { type BesideChat, BesideChatContext, fileKey } from "./beside-chat.ts";
import { fileInChat } from "./file-in-chat.ts";

/** Opens a file of a thread in the panel beside it. Nothing for a file that the thread does not have. */
export function BesideChatButton({ address, onOpen }: { address: string; onOpen(): void }) {
  const chat = useContext(BesideChatContext);
  const fileId = fileIdOf(address);
  if (chat === undefined || fileId === undefined) return null;
  return <Button chat={chat} fileId={fileId} onOpen={onOpen} />;
}

function Button({ chat, fileId, onOpen }: { chat: BesideChat; fileId: string; onOpen(): void }) {
  const isInThread = useAuiState((s) => fileInChat(s.thread.messages, fileId) !== undefined);
  const navigate = useNavigate();
  if (!isInThread) return null;
  return (
    <IconButton
      icon={PanelRight}
      label={t("panel.openBeside")}
      onClick={() => {
        onOpen();
        const { threadId, answerId: v } = chat;
        const panel = fileKey(fileId);
        void navigate({
          to: "/t/$threadId",
          params: { threadId },
          search: v === undefined ? { panel } : { panel, v },
        });
      }}
    />
  );
}
