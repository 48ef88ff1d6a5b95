package main

import (
	"fmt"
	"math"
	"strings"
)

// pictureTop is the picture up to its bars. Its colors suit light and dark pages.
const pictureTop = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 %d" role="img" aria-labelledby="title desc">
<title id="title">What a deployment costs a month, by people</title>
<desc id="desc">%s</desc>
<style>
  .page { fill: #ffffff; }
  .secrets { fill: #b3703a; }
  .envelope { fill: #2f6b4f; }
  text { fill: #24211c; font: 14px system-ui, sans-serif; }
  .head { font-weight: 600; }
  .small { font-size: 12px; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #16181b; }
    .secrets { fill: #d9955c; }
    .envelope { fill: #7cc3a0; }
    text { fill: #eceae5; }
  }
</style>
<rect class="page" width="720" height="%d" rx="8"/>
<text class="small" x="16" y="28">Dollars a month on AWS, with users' tokens in a secret for each or sealed in the table. The scale is logarithmic.</text>
`

// tenfold is how much longer the bar of a tenfold amount is.
const tenfold = 80

// picture returns the totals as a drawing, in SVG: a bar for each number of people and each mode.
func (u usage) picture() string {
	var bars strings.Builder
	var said []string
	y := 46
	for _, people := range sizes {
		name := map[float64]string{1: "1 person", 100: "100 people", 10_000: "10,000 people"}[people]
		fmt.Fprintf(&bars, "<text class=\"head\" x=\"16\" y=\"%d\">%s</text>\n", y+28, name)
		for _, m := range modes {
			total := u.total(m, people)
			length := tenfold * (math.Log10(total) + 1) // ten cents have none
			fmt.Fprintf(&bars, "<rect class=\"%s\" x=\"140\" y=\"%d\" width=\"%.0f\" height=\"20\" rx=\"3\"/>\n", m, y, length)
			fmt.Fprintf(&bars, "<text class=\"small\" x=\"%.0f\" y=\"%d\">$%s, %s</text>\n", 148+length, y+15, dollars(total), places[m])
			said = append(said, fmt.Sprintf("%s: $%s with tokens %s.", name, dollars(total), places[m]))
			y += 24
		}
		y += 18
	}
	return fmt.Sprintf(pictureTop, y, strings.Join(said, " "), y) + bars.String() + "</svg>\n"
}

// places says where each mode keeps tokens.
var places = map[mode]string{secrets: "in a secret for each", envelope: "sealed in the table"}
