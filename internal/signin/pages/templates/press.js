// A page of another site can open this one under the pointer between the two clicks of a double
// click. So a press counts only if the page has had the focus for a while, and then an event of its
// own. Until then the buttons look and sound as always, and an early press says what to do.
{
  const calm = 700
  for (const tick of document.querySelectorAll(".sure")) tick.remove() // it stands in for this script
  let since = Infinity // when the page got the focus
  let watched = false
  const turned = (event) => { since = document.hasFocus() ? event.timeStamp : Infinity; watched = false }
  for (const type of ["pageshow", "focus", "blur", "pagehide"]) addEventListener(type, turned)

  // A click without a pointer is an event of its own: screen readers and voice control click so.
  const seen = (event) => {
    if (!event.isTrusted || event.repeat || event.type === "click" && event.detail > 0) return
    if (event.type !== "pointermove") since = Math.min(since, event.timeStamp) // in some apps, browsers never tell of the focus
    watched ||= event.timeStamp - since >= calm
  }
  for (const type of ["pointermove", "pointerdown", "keydown", "click"]) addEventListener(type, seen, true)

  const early = document.createElement("p")
  early.setAttribute("role", "alert")
  addEventListener("submit", (event) => {
    if (event.submitter?.value === "deny") return
    if (watched) {
      event.target.elements.shown.value = "watched"
      return
    }
    event.preventDefault()
    early.textContent = "This page had only just appeared, so nothing was sent. Press the button again."
    event.target.append(early)
  })
}
