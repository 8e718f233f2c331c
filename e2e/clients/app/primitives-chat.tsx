import {
  ActionBarPrimitive,
  AttachmentPrimitive,
  BranchPickerPrimitive,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  useAui,
  useAuiState,
} from "@assistant-ui/react";
import { Call, Data, File, Picture, Reasoning, Source, Words } from "./parts.tsx";

/** A chat of assistant-ui's primitives, like the starter in its docs, without styles. */
export function PrimitivesChat() {
  return (
    <>
      <nav aria-label="Threads">
        <ThreadListPrimitive.Root>
          <ThreadListPrimitive.New>New thread</ThreadListPrimitive.New>
          <ul aria-label="Active">
            <ThreadListPrimitive.Items components={{ ThreadListItem: Active }} />
          </ul>
          <ThreadListPrimitive.LoadMore>Show more</ThreadListPrimitive.LoadMore>
          <ul aria-label="Archived">
            <ThreadListPrimitive.Items archived components={{ ThreadListItem: Archived }} />
          </ul>
        </ThreadListPrimitive.Root>
      </nav>
      <main>
        <ThreadPrimitive.Root>
          <ThreadPrimitive.Viewport>
            <ThreadPrimitive.Messages
              components={{ UserMessage: Said, UserEditComposer: Editing, AssistantMessage: Answered }}
            />
          </ThreadPrimitive.Viewport>
          <ComposerPrimitive.Root>
            <ComposerPrimitive.Attachments components={{ Attachment: Waiting }} />
            <ComposerPrimitive.AddAttachment>Attach</ComposerPrimitive.AddAttachment>
            <ComposerPrimitive.Input aria-label="Message" />
            <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </ComposerPrimitive.Root>
        </ThreadPrimitive.Root>
      </main>
    </>
  );
}

function Active() {
  const aui = useAui();
  return (
    <li>
      <ThreadListItemPrimitive.Root>
        <ThreadListItemPrimitive.Trigger>
          <ThreadListItemPrimitive.Title fallback="Untitled" />
        </ThreadListItemPrimitive.Trigger>
        <button onClick={() => aui.threadListItem().rename("Renamed by hand")}>Rename</button>
        <ThreadListItemPrimitive.Archive>Archive</ThreadListItemPrimitive.Archive>
        <ThreadListItemPrimitive.Delete>Delete</ThreadListItemPrimitive.Delete>
      </ThreadListItemPrimitive.Root>
    </li>
  );
}

function Archived() {
  return (
    <li>
      <ThreadListItemPrimitive.Root>
        <ThreadListItemPrimitive.Title fallback="Untitled" />
        <ThreadListItemPrimitive.Unarchive>Unarchive</ThreadListItemPrimitive.Unarchive>
        <ThreadListItemPrimitive.Delete>Delete</ThreadListItemPrimitive.Delete>
      </ThreadListItemPrimitive.Root>
    </li>
  );
}

/** A file in the composer. It is uploading until its status is ready to send. */
function Waiting() {
  const status = useAuiState(({ attachment }) => attachment.status.type);
  return (
    <AttachmentPrimitive.Root data-part="attachment" data-status={status}>
      <AttachmentPrimitive.Name />
      <AttachmentPrimitive.Remove>Remove</AttachmentPrimitive.Remove>
    </AttachmentPrimitive.Root>
  );
}

function Attachment() {
  const content = useAuiState(({ attachment }) => attachment.content?.[0]);
  return (
    <AttachmentPrimitive.Root data-part="attachment">
      {content?.type === "image" && <img src={content.image} alt={content.filename ?? ""} />}
      {content?.type === "file" && <a href={content.data}>{content.filename}</a>}
    </AttachmentPrimitive.Root>
  );
}

const parts = {
  Text: Words,
  Reasoning,
  Source,
  File,
  Image: Picture,
  tools: { Fallback: Call },
  data: { Fallback: Data },
};

function Said() {
  return (
    <MessagePrimitive.Root render={<article aria-label="user" />}>
      <MessagePrimitive.Attachments components={{ Attachment }} />
      <MessagePrimitive.Parts components={parts} />
      <Branches />
      <ActionBarPrimitive.Root>
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}

function Editing() {
  return (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input aria-label="Edited" />
      <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

function Branches() {
  return (
    <BranchPickerPrimitive.Root hideWhenSingleBranch>
      <BranchPickerPrimitive.Previous>Previous</BranchPickerPrimitive.Previous>
      <span>
        <BranchPickerPrimitive.Number /> of <BranchPickerPrimitive.Count />
      </span>
      <BranchPickerPrimitive.Next>Next</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
  );
}

function Answered() {
  const aui = useAui();
  return (
    <MessagePrimitive.Root render={<article aria-label="assistant" />}>
      <MessagePrimitive.Parts components={parts} />
      <MessagePrimitive.Error>
        <ErrorPrimitive.Root role="alert">
          <ErrorPrimitive.Message />
        </ErrorPrimitive.Root>
      </MessagePrimitive.Error>
      <Branches />
      <ActionBarPrimitive.Root>
        <ActionBarPrimitive.Reload>Again</ActionBarPrimitive.Reload>
        <ActionBarPrimitive.FeedbackPositive>Good</ActionBarPrimitive.FeedbackPositive>
        <button onClick={() => void aui.message().delete()}>Delete message</button>
      </ActionBarPrimitive.Root>
    </MessagePrimitive.Root>
  );
}
