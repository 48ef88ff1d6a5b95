if (navigator.clipboard) {
  const status = document.getElementById("copied")
  for (const button of document.querySelectorAll("button[hidden]")) {
    const source = button.previousElementSibling
    const say = (word) => { button.textContent = word; status.textContent = word }
    button.hidden = false
    button.addEventListener("click", () => navigator.clipboard.writeText(source.innerText)
      .then(() => say("Copied"), () => say("Not copied"))
      .then(() => setTimeout(() => say("Copy"), 2000)))
  }
}
