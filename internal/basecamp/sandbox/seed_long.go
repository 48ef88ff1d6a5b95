package sandbox

import (
	"fmt"
	"strings"
	"sync"
)

// The two longest texts are built from these parts. They are long so that answers have to be cut.
const (
	rides    = 46
	chapters = 30
)

var (
	longDiary    = sync.OnceValue(fieldDiary)
	longHandbook = sync.OnceValue(handbook)
)

// longTexts sets the bodies for which the posts and documents have only a placeholder.
func (d *seeder) longTexts() {
	for _, r := range d.a.recordings {
		if r.body != "<div>LONG</div>" {
			continue
		}
		if r.kind == kindMessage {
			r.body = longDiary()
		} else {
			r.body = longHandbook()
		}
	}
}

var (
	diaryRoutes   = []string{"the quarry road", "the old town and back by the river", "the long way to the station", "three nurseries and a bakery", "the ferry and the harbour wall", "the forest track behind the depot", "the ring road, against the wind", "the market, twice"}
	diaryWeather  = []string{"dry and eleven degrees", "rain from the side", "first frost, roads like glass in the shade", "warm for the season, which made everybody friendly", "fog until ten", "wind you could lean on", "grey, and later a different grey"}
	diaryCargo    = []string{"two children of a colleague, four and six", "40 kg of potatoes, because they do not complain", "a washing machine drum", "nothing at all, to hear what rattles", "one child and one double bass, in that order of fragility", "six crates of bread", "a sofa cushion and 25 kg of water", "the archive of the choir, 52 kg of paper"}
	diaryHandling = []string{"In slow corners the tail wants to go straight on for half a second; after three of them one has learned to begin earlier.", "Starting on the hill needs the second gear and a little trust.", "At 25 it is so steady that I took a hand off to wave, and was not sorry.", "Turning in our street takes one go, in the neighbouring one it takes two and an apology.", "With weight at the very end the front gets light; I moved the load twenty centimetres forward and it was gone.", "Kerbs up to a hand's width are no event. Higher ones are.", "Pushing it backwards out of the shed is the only thing that was worse than with the old model."}
	diaryThoughts = []string{
		"People look at the bike first and at the rider second, and after the third corner I stopped minding.",
		"If one stands on the pedals the whole thing sways like a ship; if one stays seated it does not, which is the better half of the lesson.",
		"I measured the time from the door to the first pedal stroke: fifty seconds, of which forty are straps. We should sell fewer straps.",
		"At the traffic light the long wheelbase means that the child at the back is next to the driver behind, and they began to talk.",
		"Parking is a matter of courage. It needs as much room as two bikes, and stands where three would not have fitted anyway.",
		"The lift in the station takes it upright, provided that the rear light is folded in, which one forgets exactly once.",
		"I rode the last third without the motor to know what happens when the battery is empty: one arrives, later and warmer.",
		"What I carried was never the problem. What I carried badly was the problem, and it was always too far back.",
		"A child who is bored kicks. I have put the place where the heel lands into the drawing, and it is exactly the display cable.",
		"The stand is the part I use most and think about least, until it sinks, and then I think about nothing else all day.",
		"It takes a wider line through our gate than I had believed. There is paint on the gate now, and none on the bike.",
		"I let a stranger ride it around the block. He came back with his shoulders down, which I take for a measurement.",
		"Whoever says that a bike this long cannot be fun has not ridden it empty, in the evening, when the shops are closed and the road is wide.",
		"With gloves I press two buttons at once. With thin gloves one and a half. The display should forgive that.",
		"The saddle is fine for an hour. The second hour is a conversation between the saddle and me that nobody should hear.",
		"I have begun to plan my way by kerbs instead of by streets. That is honest, and it should be in the manual under its own heading.",
		"A van gave way to me today. I do not know whether it was the length, the child, or the bell, but I would like to have all three again.",
		"Loaded unevenly it pulls to one side, not much, but for twenty minutes. I moved one bag and the bike was another bike.",
		"Going down the ramp of the ferry I thought of the brakes first and of the view second, and I should like to change the order.",
		"When it rains, the water runs along the deck and onto the shoe of whoever sits there. A lip of three millimetres would be enough.",
		"The light reaches as far as I need at twenty. At twenty-five I was riding on trust for about half a second, all the time.",
		"Carrying it up four steps is possible for two people who like each other, and instructive for two who do not.",
		"I was overtaken by a racing cyclist, who looked back, slowed down, and asked me about tyre pressure for ten minutes.",
		"The chain is out of the way of trousers but not of a long coat. I have a long coat. It has an oil mark now, on the left.",
		"At the end I forgot that it was a test and went shopping, which may be the best sentence in this diary.",
		"On the way home I met the bike's little brother, the model of last year, and was surprised how nervous it looked.",
	}
	diarySounds     = []string{"No noise but the tyres.", "A tick, once a turn of the crank, only under load. It was my shoe.", "The deck hummed over the cobbles, one note, not unpleasant.", "Something knocked at the rear. I found a chestnut between box and rail.", "The freewheel is loud when one stops beside a pram; the child inside liked it."}
	diaryBraking    = []string{"Stopped for a dog without drama.", "Long descent, both levers, no fading and no smell.", "Wet rims would have been a topic; wet discs were none.", "Rear wheel locked once on leaves, the bike stayed where it was pointing.", "Had to brake for a door. Door, driver and I are well."}
	diaryBattery    = []string{"started with five bars and came home with three", "used two bars for 18 km", "lost the last bar exactly in front of the house", "showed more at the top of the hill than at the bottom, which cannot be", "was at half after the whole round, cold motor included"}
	diaryEncounters = []string{"A man asked whether it is a bus.", "Two girls asked whether it is a horse.", "The woman from the kiosk wanted to know the price and then wanted to sit down.", "A courier looked at the brake hoses and nodded, which is a long review.", "Nobody asked anything. It was five in the morning.", "A policeman measured it with his steps and said 'all right, then'."}
	diaryVerdicts   = []string{"Would ride it again tomorrow.", "To do: look at the bolt, left side, again.", "Nothing to do.", "To do: longer strap.", "Noémie, please look at the angle of the stand.", "I would have taken the car for this, last year.", "To do: a bell that is heard."}
)

// pick returns the part for section n. Different steps keep the sections from using the same parts
// together.
func pick(parts []string, n, step int) string { return parts[(n*step+n/len(parts))%len(parts)] }

// fieldDiary returns one entry for each ride. The lengths of the parts have no common divisor, so
// no two rides are the same.
func fieldDiary() string {
	var b strings.Builder
	b.WriteString("<div>Everything I rode and noticed, in order. <strong>Skip to the end</strong> if you only want to know what has to change.</div>")
	for n := range rides {
		fmt.Fprintf(&b, "<h2>Ride %d: %s</h2>", n+1, pick(diaryRoutes, n, 3))
		fmt.Fprintf(&b, "<div><em>%d km, %s.</em> On the tail: %s.</div>", 4+(n*7)%29, pick(diaryWeather, n, 2), pick(diaryCargo, n, 5))
		fmt.Fprintf(&b, "<div>%s %s</div>", pick(diaryHandling, n, 2), pick(diarySounds, n, 3))
		fmt.Fprintf(&b, "<div>%s The battery %s. %s</div>", pick(diaryBraking, n, 2), pick(diaryBattery, n, 3), pick(diaryEncounters, n, 5))
		fmt.Fprintf(&b, "<ul><li>Deck under load: %d.%d mm</li><li>Motor at the end: %d degrees</li><li>%s</li></ul>",
			1+n%3, (n*3)%10, 41+(n*11)%33, pick(diaryVerdicts, n, 2))
		fmt.Fprintf(&b, "<div>%s %s</div><div>%s %s</div>", pick(diaryThoughts, n, 5), pick(diaryThoughts, n+9, 5),
			pick(diaryThoughts, n+17, 5), pick(diaryThoughts, n+13, 5))
		if n%4 == 1 {
			fmt.Fprintf(&b, "<blockquote>%s</blockquote>", pick(diaryHandling, n+3, 4))
		}
		if n%5 == 2 {
			fmt.Fprintf(&b, "<table><thead><tr><th>Stop from</th><th>Dry</th><th>Wet</th></tr></thead><tbody>"+
				"<tr><td>15 km/h</td><td>2.%d m</td><td>2.%d m</td></tr><tr><td>25 km/h</td><td>5.%d m</td><td>7.%d m</td></tr></tbody></table>",
				n%4, 5+n%4, n%9, n%7)
		}
		if n%6 == 3 {
			b.WriteString("<div>What I asked myself on the way home, and cannot answer alone: would somebody who is shorter, older or more " +
				"careful than I am have stopped at the same place? I brake late, because I know the bike. The first hundred riders will not. " +
				"So whatever the table says, the manual should promise less.</div>")
		}
	}
	b.WriteString("<h1>What has to change</h1><ol><li>The plate under the kickstand</li><li>The strap: longer, and in a colour one can find at night</li>" +
		"<li>The bell</li><li>The left bolt. I do not want to talk about the left bolt.</li></ol>")
	return b.String()
}

var (
	handbookChapters = []string{"Head set", "Fork", "Deck rails", "Deck", "Rear rack", "Kickstand", "Bottom bracket", "Cranks", "Motor", "Battery cradle", "Wiring harness", "Display", "Front brake", "Rear brake", "Front wheel", "Rear wheel", "Gear hub", "Chain", "Chain guard", "Mudguards", "Front light", "Rear light", "Handlebar", "Grips", "Saddle", "Bell", "Reflectors", "Serial plate", "Final check", "Packing"}
	handbookTools    = []string{"4 mm and 5 mm hex key", "torque wrench, 2 to 20 Nm", "the press with the blue handle", "soft hammer", "thread lock, medium", "a clean cloth, a really clean one", "the long spirit level", "cutting pliers"}
	handbookBefore   = []string{"Take the part out of its bag over the bench, not over the floor. The small ring is always in the bag.", "Look at the part for the length of one breath. If anything about it is odd, put it on the red shelf and take another.", "Wipe the seat dry. Grease only where this page says grease.", "Compare the number on the part with the number on the card. They have been different twice, and both times we noticed too late.", "Check that the frame has passed the alignment table: there is a chalk mark on the left rail."}
	handbookSteps    = []string{"Set it in by hand until it stops by itself. If it needs force now, something is wrong, and force will not make it right.", "Turn each bolt three turns, crosswise, then again from the beginning.", "Tighten to the value in the table below. Click once, not twice: the second click is four per cent more.", "Pull the cable through from the rear, with the helper string. Leave a hand's width for the steering.", "Turn the handlebar fully to both sides. Nothing may pull tight, nothing may touch the paint.", "Hold a sheet of paper between the two parts. It must be held, and it must come out whole.", "Mark the bolt with the yellow pen, across head and frame, so that everyone can see later whether it has moved."}
	handbookReasons  = []string{
		"Why so carefully: a rider will trust this part with a child behind them, on a day when we are not there, in weather that we did not choose.",
		"Why in this order: with the next part in place you can no longer reach this one, and whoever has to will need twice the time and will scratch the paint.",
		"Why by hand first: a thread that has been forced once will hold in the workshop and let go in the second winter, and nobody will know why.",
		"Why we write the time down: not to make anybody faster, but to see which bench waits for which, and to move people before they get annoyed.",
		"Why two people look: the one who did it sees what they meant to do. The other one sees what is there, which is the more useful of the two.",
		"Why the yellow mark: in the service it takes one second to see that a bolt has moved, and a quarter of an hour to measure that it has not.",
		"Why the cloth: nine of ten noises that customers write about are a grain of sand between two parts that we pressed together.",
		"Why it is on paper: screens get greasy, and somebody always has the newest version open and an older one in mind.",
		"Why no shortcut on Fridays: the bikes that come back were built on Fridays. We have counted twice, because we did not believe it.",
		"Why the part has a number: when a supplier makes a bad batch we want to call eleven riders, and not eleven hundred.",
		"Why you may stop the bench: a bike that is late annoys us for a day. One that leaves with a fault annoys a family for a year.",
		"Why we build from the inside out: what is under the deck will not be seen again before the second service, and should be made for that day.",
		"Why the left side first: the right side has the chain, and everybody looks at the chain. The left needs somebody who thinks of it.",
		"Why nobody builds alone after six: not because of the work, which is quiet then, but because of the one time in ten years.",
		"Why we keep the rejected parts: on the red shelf they are the best teacher we have, and the only one who never gets tired.",
		"Why the torque is lower than in the supplier's paper: theirs is for a bike without a child on it, which stands still, in June.",
		"Why not the electric driver: it is quicker by a minute a bike, and it has cost us eleven frames since we began to count.",
	}
	handbookStories = []string{
		"Bike 14 taught us this one. It was perfect on the stand, and it went around the yard like a supermarket trolley, because the part had been set while the frame was standing on one wheel.",
		"An apprentice once asked why we do not simply glue it. We tried. It holds very well, and then the first service takes three hours and ends with a saw.",
		"A rider in the mountains sent us a letter about this place, four pages, with drawings. Two of the steps above are his, and he has never had to pay for a service since.",
		"Mateusz builds this part with his eyes closed. He has shown it to visitors. Please do not try, he has practised for eleven years and has once glued his sleeve to a bike.",
		"In the test with the couriers this was the first thing to come loose, after 290 km of kerbs. Since we mark the bolts nothing has moved, or we have at least known about it.",
		"The drawing shows it two millimetres further back. The drawing is right. The jig is older than the drawing and will be changed when the batch is through; until then, use the spacer.",
		"Tomás says he can hear it on the road if this has been done in a hurry. We did not believe him and gave him four bikes with covered numbers. He found both.",
		"This used to take twice as long. The difference is that the part now waits at the height of the hand, and not in a box under the bench. Most improvements here are boxes.",
		"Customers never see it. They see that nothing has happened to them for ten years, and that is what they tell their neighbours, who then come to us.",
		"If you are new, do this chapter twice on the old frame by the door. It has been assembled some two hundred times and does not mind.",
		"There is a photograph of how it must not look, next to the coffee machine. It was taken on a Friday, and everyone in it is smiling.",
	}
	handbookMistakes = []string{"The part is mounted the wrong way round. It fits, and it will hold until the first hill.", "The washer has been forgotten. One sees it only from below.", "Too much grease: it collects dust and comes back to us as a complaint.", "The bolt was tightened before the neighbour was in place. Loosen both and begin again.", "The cable runs in front of the rail instead of behind it. It will be through after 300 km."}
	handbookChecks   = []string{"Shake it. Listen. There is no sound that is normal here.", "Ask somebody else to look, without telling them where.", "Let it stand for an hour and check the mark again.", "Lift the bike by this part, ten centimetres. If you would rather not, it is not finished."}
)

// handbook returns one chapter for each assembly.
func handbook() string {
	var b strings.Builder
	b.WriteString("<div>How a Long Tail is put together, from the bare frame to the carton. Written for somebody who has built bikes, but not this one. " +
		"<strong>If the bike and the book disagree, stop and call Sam Okafor.</strong></div>")
	for n := range chapters {
		fmt.Fprintf(&b, "<h1>%d. %s</h1>", n+1, handbookChapters[n])
		fmt.Fprintf(&b, "<div>You need: %s; %s. Time: %d minutes, the first ten bikes twice that.</div>", pick(handbookTools, n, 3), pick(handbookTools, n+3, 3), 6+(n*5)%17)
		fmt.Fprintf(&b, "<h2>Before</h2><ul><li>%s</li><li>%s</li></ul>", pick(handbookBefore, n, 2), pick(handbookBefore, n+1, 2))
		fmt.Fprintf(&b, "<div>%s %s %s</div>", pick(handbookReasons, n, 3), pick(handbookReasons, n+6, 3), pick(handbookReasons, n+10, 3))
		b.WriteString("<h2>Steps</h2><ol>")
		for i := range 5 {
			fmt.Fprintf(&b, "<li>%s</li>", pick(handbookSteps, n+i, 1+i%2))
		}
		fmt.Fprintf(&b, "</ol><table><tbody><tr><td>Bolt</td><td>%s</td></tr><tr><td>Torque</td><td>%d Nm</td></tr><tr><td>Thread lock</td><td>%s</td></tr></tbody></table>",
			[]string{"M4", "M5", "M6", "M8"}[n%4], 4+(n*3)%15, []string{"no", "yes, one drop"}[n%2])
		fmt.Fprintf(&b, "<h2>What goes wrong</h2><div>%s</div><blockquote>%s</blockquote>", pick(handbookMistakes, n, 2), pick(handbookMistakes, n+1, 3))
		fmt.Fprintf(&b, "<div>%s</div>", handbookStories[n%len(handbookStories)])
		fmt.Fprintf(&b, "<h2>Check</h2><div>%s %s</div>", pick(handbookChecks, n, 1), pick(handbookChecks, n+2, 1))
		if n%7 == 6 {
			fmt.Fprintf(&b, "<pre>station %d   target %d bikes a day   buffer %d</pre>", 1+n/7, 4, 2+n%3)
		}
	}
	return b.String()
}
